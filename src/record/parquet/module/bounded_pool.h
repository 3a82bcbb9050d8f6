// Memory for what a Parquet file says that it has. Headers of pages are believed before their pages are read, so that
// one wrong number in a small file would take gigabytes; none of them takes more than its limit, and all that is held
// at a time no more than that of the file.
//
// Threads: as the reader that has it; one.
#pragma once

#include <arrow/memory_pool.h>
#include <arrow/status.h>

#include <cstdint>

namespace warpmeter::inline record {

class BoundedPool : public arrow::ProxyMemoryPool {
 public:
  BoundedPool() : ProxyMemoryPool(arrow::default_memory_pool()) {}

  // Of one piece of memory, and of all.
  void limit_piece(std::int64_t bytes) { most_of_piece_ = bytes; }
  void limit_all(std::int64_t bytes) { most_of_all_ = bytes; }

  using MemoryPool::Allocate;
  using MemoryPool::Reallocate;
  arrow::Status Allocate(std::int64_t size, std::int64_t alignment, std::uint8_t** out) override {
    ARROW_RETURN_NOT_OK(check(size, size));
    return ProxyMemoryPool::Allocate(size, alignment, out);
  }
  arrow::Status Reallocate(std::int64_t old_size, std::int64_t new_size, std::int64_t alignment,
                           std::uint8_t** at) override {
    ARROW_RETURN_NOT_OK(check(new_size, new_size - old_size));
    return ProxyMemoryPool::Reallocate(old_size, new_size, alignment, at);
  }

 private:
  arrow::Status check(std::int64_t size, std::int64_t more) const {
    if (size > most_of_piece_) {
      return arrow::Status::Invalid("a page of ", size, " bytes, more than its column can have");
    }
    if (more > most_of_all_ - bytes_allocated()) {
      return arrow::Status::Invalid("pages of ", bytes_allocated() + more,
                                    " bytes, more than such a small file can have");
    }
    return arrow::Status::OK();
  }

  std::int64_t most_of_piece_ = INT64_MAX, most_of_all_ = INT64_MAX;
};

}  // namespace warpmeter::inline record
