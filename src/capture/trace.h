// Several capture files, one after the other as one trace.
//
// It is read in stretches, by many threads at once: claim() says what comes next, walk() finds the frames in it,
// settle() makes sure of them and gives them their numbers.
//
// Threads: claim() by one thread at a time; walk() by any, each on stretches of its own and with a window of its own;
// settle() by one at a time and in the order of the claims. All three go on beside each other. The progress figures by
// any.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capture/capture_reader.h"
#include "capture/file_window.h"
#include "capture/open_ahead.h"
#include "capture/stretch.h"
#include "warpmeter/frame.h"

namespace warpmeter {

class Trace {
 public:
  // Opens every file once and closes it again, so that a mistake shows before the work begins. `stop` ends the trace
  // early and must outlive it. Throws Error: a file that cannot be opened, is no capture (of this format) or has an
  // unknown link type.
  Trace(std::vector<std::string> files, const std::atomic<bool>& stop, const CaptureOptions& options = {});

  // The next stretch, perhaps without frames. False at the end.
  bool claim(Stretch& stretch, const StretchOptions& options);

  // Puts the next frames of the stretch into stretch.block, where they are valid until the next walk() with the same
  // window. False: there are no more. They may turn out to be others.
  static bool walk(Stretch& stretch, FileWindow& window);

  // The stretch must have been walked to its end. Its frames are final now, and numbered. False if they are not those
  // that walk() had found; in any case walk() shows the right ones from now on, from the first.
  bool settle(Stretch& stretch, FileWindow& window);

  // Is any of the files compressed? Then unpacking them is a thread's work. Not known of pipes.
  bool unpacks() const { return unpacks_; }

  std::uint64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }
  std::uint64_t bytes_in_all() const { return bytes_in_all_; }  // 0 if unknown
  std::uint64_t frames_read() const { return frames_read_.load(std::memory_order_relaxed); }

  // Valid after the end.
  CaptureFacts facts() const { return current_ ? current_->facts() : facts_; }  // of the file read last
  const std::vector<Damage>& damage() const { return damage_; }
  const std::vector<std::string>& unreadable() const { return unreadable_; }  // messages, a file each
  bool nothing_readable() const { return !unreadable_.empty() && unreadable_.size() == files_.size(); }

 private:
  bool open_next(std::vector<std::string>& unreadable);
  bool claim_in_file(Stretch& stretch, const StretchOptions& options);
  void close_current();
  bool read_in_claim(Stretch& stretch, std::size_t frames);

  const std::vector<std::string> files_;
  const std::atomic<bool>& stop_;
  const CaptureOptions options_;
  OpenAhead open_ahead_;
  std::unique_ptr<CaptureReader> current_;
  std::shared_ptr<StretchedPcap> stretched_;  // the current file, if several threads read it
  std::uint64_t claimed_bytes_ = 0;           // of the current file, if it is read in claim()
  CaptureFacts facts_;
  std::uint64_t bytes_in_all_ = 0;
  bool unpacks_ = false;
  std::atomic<std::uint64_t> bytes_read_ = 0;
  std::atomic<std::uint64_t> frames_read_ = 0;
  std::vector<Damage> damage_;
  std::vector<std::string> unreadable_;
};

}  // namespace warpmeter
