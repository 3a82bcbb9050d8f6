#include "packet/file/chained_reader.h"

#include <utility>

#include "packet/file/byte_source.h"
#include "warpmeter/status.h"

namespace warpmeter::inline packet {

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
  } catch (const ReadError&) {
    throw;
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

// Of all captures, as if they were one.
std::vector<Damage> ChainedReader::skipped() const {
  std::vector<Damage> all = skipped_;
  if (!current_) return all;
  for (Damage& damage : current_->skipped()) {
    if (all.size() < Skips::kMostTold) all.push_back(std::move(damage));
  }
  return all;
}

Skips ChainedReader::skips() const {
  Skips all = skips_;
  if (current_) all.add(current_->skips());
  all.untold = all.places - skipped().size();
  return all;
}

bool ChainedReader::begin_next() {
  facts_ = current_->facts();
  offset_ = current_->offset();
  size_ = current_->size();
  std::unique_ptr<ByteSource> rest = current_->rest();
  if (!rest) return false;
  clamped_times_ += current_->clamped_times();
  skipped_ = skipped();
  skips_ = skips();
  odd_fraction_ = odd_fraction();
  current_.reset();
  begin_ = rest->offset();
  try {
    current_ = read_capture(name_, std::move(rest), options_);
  } catch (const ReadError&) {
    throw;
  } catch (const Error& error) {
    stop_at(error);
  }
  return current_ != nullptr;
}

}  // namespace warpmeter::inline packet
