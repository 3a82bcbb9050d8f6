#include "packet/file/file_view.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline packet {
namespace {

// What those who lease are shown at once takes less; pages.
constexpr std::size_t kUsual = 320 << 10;

}  // namespace

FileBytes FileView::show(const RegularFile& file, std::uint64_t from, std::uint64_t until) {
  until = std::clamp(until, from, file.size());
  if (read_until(file, from) < std::max(until, from + 1)) read(file, from, until);
  const std::uint64_t end = std::max(from, std::min(until, end_));
  return {buffer_->data() + (from - begin_), from, end, end < until || until == file.size()};
}

std::uint64_t FileView::read_until(const RegularFile& file, std::uint64_t from) const {
  const bool is_there = buffer_ && file_ == file.number() && begin_ <= from && from < end_;
  return is_there ? end_ : from;
}

void FileView::read(const RegularFile& file, std::uint64_t from, std::uint64_t until) {
  begin_ = from / Buffer::kPage * Buffer::kPage;
  if (!buffer_ || buffer_->size() < until - begin_) {
    buffer_.reset();
    const std::size_t size = until - begin_ + Buffer::kPage;
    buffer_ = pool_ ? pool_->take(size) : std::make_shared<Buffer>(size);
  }
  file_ = file.number();
  end_ = begin_ + file.read(buffer_->data(), begin_, until);
}

Lease FileView::lease() {
  if (!pool_) pool_ = std::make_shared<BufferPool>(kUsual);
  return std::move(buffer_);
}

}  // namespace warpmeter::inline packet
