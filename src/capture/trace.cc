#include "capture/trace.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "capture/stretched_pcap.h"
#include "warpmeter/status.h"

namespace warpmeter {

Trace::Trace(std::vector<std::string> files, const std::atomic<bool>& stop, const CaptureOptions& options)
    : files_(std::move(files)), stop_(stop), options_(options), open_ahead_(files_, stop_, options_) {
  bool all_sizes_known = true;
  for (const std::string& file : files_) {
    std::error_code error;
    if (file != "-" && std::filesystem::is_regular_file(file, error)) {
      const auto reader = open_capture(file, stop_, options_);
      bytes_in_all_ += reader->size();
      unpacks_ |= !reader->facts().compression.empty();
    } else {
      all_sizes_known = false;
      if (file != "-" && !std::filesystem::exists(file, error))
        open_capture(file, stop_, options_);  // throws, saying why
    }
  }
  if (!all_sizes_known) bytes_in_all_ = 0;
}

bool Trace::open_next(std::vector<std::string>& unreadable) {
  while (auto opened = open_ahead_.next()) {
    current_ = std::move(opened->reader);
    if (current_) return true;
    unreadable.push_back(std::move(opened->problem));
  }
  return false;
}

bool Trace::claim(Stretch& stretch, const StretchOptions& options) {
  stretch.clear();
  while (!stop_.load(std::memory_order_relaxed)) {
    if (!current_ && !open_next(stretch.unreadable)) break;
    if (claim_in_file(stretch, options)) return true;
  }
  return !stretch.unreadable.empty();
}

bool Trace::claim_in_file(Stretch& stretch, const StretchOptions& options) {
  if (!stretched_) stretched_ = current_->in_stretches();
  if (!stretched_) return read_in_claim(stretch, options.frames);
  if (stretched_->claim(stretch, options)) return true;
  stretched_.reset();
  close_current();
  return false;
}

void Trace::close_current() {
  facts_ = current_->facts();
  current_.reset();
}

bool Trace::read_in_claim(Stretch& stretch, std::size_t frames) {
  bool more = false;
  try {
    more = current_->read(stretch.block, frames);
  } catch (const Error& error) {
    stretch.unreadable.emplace_back(error.what());
  }
  stretch.bytes_read = current_->offset() - std::exchange(claimed_bytes_, current_->offset());
  if (more) return true;
  if (current_->damage()) stretch.damage.push_back(*current_->damage());
  claimed_bytes_ = 0;
  close_current();
  return true;
}

bool Trace::walk(Stretch& stretch, FileWindow& window) {
  if (stretch.file) return stretch.file->walk(stretch, window);
  return !std::exchange(stretch.shown, true);
}

bool Trace::settle(Stretch& stretch, FileWindow& window) {
  const bool right = !stretch.file || stretch.file->settle(stretch, window);
  if (!stretch.file) {
    stretch.frames = stretch.block.frames.size();
    stretch.shown = false;
  }
  stretch.first_number = frames_read() + 1;
  frames_read_.fetch_add(stretch.frames, std::memory_order_relaxed);
  bytes_read_.fetch_add(stretch.bytes_read, std::memory_order_relaxed);
  for (std::string& message : stretch.unreadable) unreadable_.push_back(std::move(message));
  // A pipe that was stopped in the middle of a record is not damaged.
  if (stop_.load(std::memory_order_relaxed)) return right;
  for (Damage& damage : stretch.damage) damage_.push_back(std::move(damage));
  return right;
}

}  // namespace warpmeter
