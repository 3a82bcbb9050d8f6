// What is in flight on the devices: pieces of batches, submitted by one thread and collected by another in the same
// order. A device takes a few pieces at a time.
//
// Threads: one submits, one collects. All waits end early after fail().
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "core/thread_annotations.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline pipeline {

// Neighbouring segments of what one device has of a batch; or none, and the idle flows leave.
struct Piece {
  std::uint64_t batch;
  unsigned device;
  std::uint32_t begin, end;
  bool last;                                               // of the batch, over all devices
  std::int64_t watermark_ns = FrameBlock::kNothingPassed;  // else: those idle at this time
};

class InFlight {
 public:
  InFlight(unsigned devices, unsigned most_of_each) : on_device_(devices), most_(most_of_each) {}

  // The one who submits. False: something has failed.
  bool wait_for_room(unsigned device) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || on_device_[device] < most_; });
    return !failed_;
  }
  bool wait_until_empty() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || pieces_.empty(); });
    return !failed_;
  }
  void submitted(const Piece& piece) {
    const std::lock_guard lock(mutex_);
    pieces_.push_back(piece);
    ++on_device_[piece.device];
    changed_.notify_all();
  }
  // No more will come.
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

  // The one who collects: the next piece, or nothing when there will be no more; then tells that it is collected (the
  // device has room again) and done.
  std::optional<Piece> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failed_ || closed_ || !pieces_.empty(); });
    if (failed_ || pieces_.empty()) return std::nullopt;
    return pieces_.front();
  }
  void collected(const Piece& piece) {
    const std::lock_guard lock(mutex_);
    --on_device_[piece.device];
    changed_.notify_all();
  }
  void done() {
    const std::lock_guard lock(mutex_);
    pieces_.pop_front();
    changed_.notify_all();
  }

  void fail() {
    const std::lock_guard lock(mutex_);
    failed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Piece> pieces_ WARPMETER_GUARDED_BY(mutex_);  // not done yet
  std::vector<unsigned> on_device_ WARPMETER_GUARDED_BY(mutex_);
  const unsigned most_;
  bool closed_ WARPMETER_GUARDED_BY(mutex_) = false;
  bool failed_ WARPMETER_GUARDED_BY(mutex_) = false;
};

}  // namespace warpmeter::inline pipeline
