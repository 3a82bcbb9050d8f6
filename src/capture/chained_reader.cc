#include "capture/chained_reader.h"

#include <utility>

#include "warpmeter/status.h"

namespace warpmeter {

bool ChainedReader::read(FrameBlock& block, std::size_t limit) {
  while (current_ && !read_current(block, limit)) {
    if (current_->damage()) damage_ = current_->damage();
    if (damage_ || !begin_next()) return false;
  }
  return current_ != nullptr;
}

// What makes a file unreadable ends it behind a capture that was read.
bool ChainedReader::read_current(FrameBlock& block, std::size_t limit) {
  try {
    return current_->read(block, limit);
  } catch (const Error& error) {
    if (begin_ == 0) throw;
    stop_at(error);
    return false;
  }
}

void ChainedReader::stop_at(const Error& error) {
  std::string reason = error.what();
  if (reason.starts_with(name_ + ": ")) reason.erase(0, name_.size() + 2);
  damage_ = Damage{name_, begin_, "another capture begins here: " + reason};
}

bool ChainedReader::begin_next() {
  facts_ = current_->facts();
  offset_ = current_->offset();
  size_ = current_->size();
  std::unique_ptr<ByteSource> rest = current_->rest();
  if (!rest) return false;
  clamped_times_ += current_->clamped_times();
  current_.reset();
  begin_ = rest->offset();
  try {
    current_ = read_capture(name_, std::move(rest), options_);
  } catch (const Error& error) {
    stop_at(error);
  }
  return current_ != nullptr;
}

}  // namespace warpmeter
