// Several capture files, read one after the other as one trace.
//
// Threads: next_block() by one thread at a time; the progress figures by any.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/capture_reader.h"
#include "warpmeter/frame.h"

namespace warpmeter {

class Trace {
 public:
  // Opens every file once, so that a mistake shows before the work begins. `stop` ends the trace early and must outlive
  // it. Throws Error: a file that cannot be opened, is no capture or has an unknown link type.
  Trace(std::vector<std::string> files, const std::atomic<bool>& stop);

  // Fills `block` with the next frames, `limit` of them unless the trace ends. False at the end (the block is empty).
  bool next_block(FrameBlock& block, std::size_t limit);

  std::uint64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }
  std::uint64_t bytes_in_all() const { return bytes_in_all_; }  // 0 if unknown
  std::uint64_t frames_read() const { return frames_read_.load(std::memory_order_relaxed); }

  // Valid after the end.
  const std::vector<Damage>& damage() const { return damage_; }
  const std::vector<std::string>& unreadable() const { return unreadable_; }  // messages, a file each
  bool nothing_readable() const { return !unreadable_.empty() && unreadable_.size() == files_.size(); }

 private:
  bool open_next();
  void close_current();

  const std::vector<std::string> files_;
  const std::atomic<bool>& stop_;
  std::unique_ptr<CaptureReader> current_;
  std::size_t next_file_ = 0;
  std::uint64_t bytes_of_closed_ = 0;
  std::uint64_t bytes_in_all_ = 0;
  std::atomic<std::uint64_t> bytes_read_ = 0;
  std::atomic<std::uint64_t> frames_read_ = 0;
  std::vector<Damage> damage_;
  std::vector<std::string> unreadable_;
};

}  // namespace warpmeter
