#include "capture/chained_reader.h"

#include <utility>

#include "warpmeter/status.h"

namespace warpmeter {

bool ChainedReader::read(FrameBlock& block, std::size_t limit) {
  while (current_ && !current_->read(block, limit)) {
    if (current_->damage()) damage_ = current_->damage();
    if (damage_ || !begin_next()) return false;
  }
  return current_ != nullptr;
}

bool ChainedReader::begin_next() {
  facts_ = current_->facts();
  offset_ = current_->offset();
  size_ = current_->size();
  std::unique_ptr<ByteSource> rest = current_->rest();
  if (!rest) return false;
  clamped_times_ += current_->clamped_times();
  current_.reset();
  const std::uint64_t begin = rest->offset();
  try {
    current_ = read_capture(name_, std::move(rest), options_);
  } catch (const Error& error) {
    std::string reason = error.what();
    if (reason.starts_with(name_ + ": ")) reason.erase(0, name_.size() + 2);
    damage_ = Damage{name_, begin, "another capture begins here: " + reason};
  }
  return current_ != nullptr;
}

}  // namespace warpmeter
