#include "capture/file_window.h"

#include <algorithm>

namespace warpmeter {

FileBytes FileWindow::show(const RegularFile& file, std::uint64_t from, std::uint64_t until) {
  const std::uint64_t begin = from / Buffer::kPage * Buffer::kPage;
  until = std::clamp(until, from, file.size());
  if (!buffer_ || buffer_->size() < until - begin) {
    buffer_.reset();
    buffer_.emplace(until - begin + Buffer::kPage);
  }
  const std::uint64_t end = begin + file.read(buffer_->data(), begin, until);
  return {buffer_->data() + (from - begin), from, std::max(from, end), end < until || until == file.size()};
}

}  // namespace warpmeter
