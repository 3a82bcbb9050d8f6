// Buffers for the bytes of a trace, read or unpacked: used again once no frame points into them.
//
// Threads: any. A buffer comes back from whichever thread lets go of the last share of it, perhaps after the pool's
// owner has gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "core/thread_annotations.h"

namespace warpmeter::inline packet {

// Begins with a page of memory. Bytes of a file that lie in their page here as they do in the file's are copied twice
// as fast as others.
class Buffer {
 public:
  static constexpr std::size_t kPage = 4096;

  explicit Buffer(std::size_t bytes)
      : size_((bytes + kPage - 1) / kPage * kPage),
        data_(static_cast<std::uint8_t*>(std::aligned_alloc(kPage, size_))) {
    if (!data_) throw std::bad_alloc();
  }
  std::uint8_t* data() const { return data_.get(); }  // not initialized
  std::size_t size() const { return size_; }          // bytes, whole pages

 private:
  struct Free {
    void operator()(std::uint8_t* data) const { std::free(data); }
  };
  const std::size_t size_;
  const std::unique_ptr<std::uint8_t, Free> data_;
};

class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  // `usual`: the size of the buffers that are kept for later, in bytes; whole pages.
  explicit BufferPool(std::size_t usual) : usual_(usual) {}

  // At least `size` bytes.
  std::shared_ptr<Buffer> take(std::size_t size) {
    std::unique_ptr<Buffer> buffer;
    if (size <= usual_) {
      size = usual_;
      const std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        buffer = std::move(free_.back());
        free_.pop_back();
      }
    }
    if (!buffer) buffer = std::make_unique<Buffer>(size);
    return {buffer.release(), [pool = shared_from_this()](Buffer* b) { pool->give_back(b); }};
  }

 private:
  void give_back(Buffer* buffer) {
    std::unique_ptr<Buffer> owned(buffer);
    if (owned->size() != usual_) return;
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(owned));
  }

  const std::size_t usual_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Buffer>> free_ WARPMETER_GUARDED_BY(mutex_);
};

}  // namespace warpmeter::inline packet
