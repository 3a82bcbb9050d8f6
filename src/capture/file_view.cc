#include "capture/file_view.h"

#include <algorithm>
#include <utility>

namespace warpmeter {
namespace {

// What those who lease are shown at once takes less; pages.
constexpr std::size_t kUsual = 320 << 10;

}  // namespace

FileBytes FileView::show(const RegularFile& file, std::uint64_t from, std::uint64_t until) {
  const std::uint64_t begin = from / Buffer::kPage * Buffer::kPage;
  until = std::clamp(until, from, file.size());
  if (!buffer_ || buffer_->size() < until - begin) {
    buffer_.reset();
    const std::size_t size = until - begin + Buffer::kPage;
    buffer_ = pool_ ? pool_->take(size) : std::make_shared<Buffer>(size);
  }
  const std::uint64_t end = begin + file.read(buffer_->data(), begin, until);
  return {buffer_->data() + (from - begin), from, std::max(from, end), end < until || until == file.size()};
}

Lease FileView::lease() {
  if (!pool_) pool_ = std::make_shared<BufferPool>(kUsual);
  return std::move(buffer_);
}

}  // namespace warpmeter
