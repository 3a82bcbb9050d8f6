// Memory for what a Parquet file says that it has. Headers of pages are believed before their pages are read, so that
// one wrong number in a small file would take gigabytes; none of them takes more than the limit.
//
// Threads: as the reader that has it; one.
#pragma once

#include <arrow/memory_pool.h>
#include <arrow/status.h>

#include <cstdint>

namespace warpmeter {

class BoundedPool : public arrow::ProxyMemoryPool {
 public:
  BoundedPool() : ProxyMemoryPool(arrow::default_memory_pool()) {}

  // Of one piece of memory.
  void limit(std::int64_t bytes) { most_ = bytes; }

  using MemoryPool::Allocate;
  using MemoryPool::Reallocate;
  arrow::Status Allocate(std::int64_t size, std::int64_t alignment, std::uint8_t** out) override {
    if (size > most_) return too_large(size);
    return ProxyMemoryPool::Allocate(size, alignment, out);
  }
  arrow::Status Reallocate(std::int64_t old_size, std::int64_t new_size, std::int64_t alignment,
                           std::uint8_t** at) override {
    if (new_size > most_) return too_large(new_size);
    return ProxyMemoryPool::Reallocate(old_size, new_size, alignment, at);
  }

 private:
  static arrow::Status too_large(std::int64_t bytes) {
    return arrow::Status::Invalid("a page of ", bytes, " bytes, more than its column can have");
  }

  std::int64_t most_ = INT64_MAX;
};

}  // namespace warpmeter
