#include "packet/file/buffer_pool.h"

#include <new>
#include <utility>

namespace warpmeter::inline packet {

Buffer::Buffer(std::size_t bytes)
    : size_((bytes + kPage - 1) / kPage * kPage), data_(static_cast<std::uint8_t*>(std::aligned_alloc(kPage, size_))) {
  if (!data_) throw std::bad_alloc();
}

std::shared_ptr<Buffer> BufferPool::take(std::size_t size) {
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

void BufferPool::give_back(Buffer* buffer) {
  std::unique_ptr<Buffer> owned(buffer);
  if (owned->size() != usual_) return;
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(owned));
}

}  // namespace warpmeter::inline packet
