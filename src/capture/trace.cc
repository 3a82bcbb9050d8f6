#include "capture/trace.h"

#include <filesystem>
#include <utility>

#include "warpmeter/status.h"

namespace warpmeter {

Trace::Trace(std::vector<std::string> files, const std::atomic<bool>& stop) : files_(std::move(files)), stop_(stop) {
  bool all_sizes_known = true;
  for (const std::string& file : files_) {
    std::error_code error;
    if (file != "-" && std::filesystem::is_regular_file(file, error)) {
      bytes_in_all_ += open_capture(file, stop_)->size();
    } else {
      all_sizes_known = false;
      if (file != "-" && !std::filesystem::exists(file, error)) open_capture(file, stop_);  // throws, saying why
    }
  }
  if (!all_sizes_known) bytes_in_all_ = 0;
}

bool Trace::open_next() {
  while (next_file_ < files_.size()) {
    const std::string& file = files_[next_file_++];
    try {
      current_ = open_capture(file, stop_);
      return true;
    } catch (const Error& error) {
      unreadable_.emplace_back(error.what());
    }
  }
  return false;
}

void Trace::close_current() {
  // A pipe that was stopped in the middle of a record is not damaged.
  if (current_->damage() && !stop_.load(std::memory_order_relaxed)) damage_.push_back(*current_->damage());
  bytes_of_closed_ += current_->offset();
  current_.reset();
}

bool Trace::next_block(FrameBlock& block, std::size_t limit) {
  block.clear();
  block.first_number = frames_read() + 1;
  while (block.frames.size() < limit && !stop_.load(std::memory_order_relaxed)) {
    if (!current_ && !open_next()) break;
    bool more = false;
    try {
      more = current_->read(block, limit);
    } catch (const Error& error) {
      unreadable_.emplace_back(error.what());
    }
    bytes_read_.store(bytes_of_closed_ + current_->offset(), std::memory_order_relaxed);
    if (!more) close_current();
  }
  frames_read_.fetch_add(block.frames.size(), std::memory_order_relaxed);
  return !block.frames.empty();
}

}  // namespace warpmeter
