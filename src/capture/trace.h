// Capture files as one trace, in the order of time, or as they were named.
//
// It is read in stretches, by many threads at once: claim() says what comes next, walk() finds the frames in it,
// settle() makes sure of them and gives them their numbers.
// Files whose times do not overlap are read one after the other, each by many threads. That they do not shows only on
// the way: where a stretch holds packets later than the next file's first, all from there on is merged (MergedFiles),
// by the thread that settles. Decoding and all that follows go on in many.
//
// Threads: claim() by one thread at a time; walk() by any, each on stretches of its own and with a window of its own;
// settle() by one at a time and in the order of the claims. All three go on beside each other. The progress figures by
// any.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "capture/capture_reader.h"
#include "capture/file_window.h"
#include "capture/merged_files.h"
#include "capture/open_ahead.h"
#include "capture/stretch.h"
#include "capture/time_order.h"
#include "capture/trace_files.h"
#include "warpmeter/frame.h"

namespace warpmeter {

struct TraceOptions {
  CaptureOptions capture;
  FileOrder order = FileOrder::given;
};

class Trace {
 public:
  // Opens every file once and closes it again, so that a mistake shows before the work begins: what cannot be opened,
  // is no capture (of this format) or has an unknown link type is unreadable() from the beginning. `stop` ends the
  // trace early and must outlive it. Throws Error if no file can be read.
  Trace(std::vector<std::string> files, const std::atomic<bool>& stop, const TraceOptions& options = {});

  // The next stretch, perhaps without frames. False at the end.
  bool claim(Stretch& stretch, const StretchOptions& options);

  // Puts the next frames of the stretch into stretch.block, where they are valid until the next walk() with the same
  // window. False: there are no more. They may turn out to be others.
  static bool walk(Stretch& stretch, FileWindow& window);

  // The stretch must have been walked to its end. Its frames are final now, and numbered. False if they are not those
  // that walk() had found; in any case walk() shows the right ones from now on, from the first.
  bool settle(Stretch& stretch, FileWindow& window);

  // Is any of the files compressed? Then unpacking them is a thread's work. Not known of pipes.
  bool unpacks() const { return files_.unpacks; }

  std::uint64_t bytes_read() const { return bytes_read_.load(std::memory_order_relaxed); }
  std::uint64_t bytes_in_all() const { return files_.bytes; }  // 0 if unknown
  std::uint64_t frames_read() const { return frames_read_.load(std::memory_order_relaxed); }

  const std::vector<std::string>& unreadable() const { return unreadable_; }  // messages, a file each

  // Valid after the end.
  CaptureFacts facts() const;  // of the file read last
  const std::vector<Damage>& damage() const { return damage_; }
  bool nothing_readable() const {
    return !stop_ && !unreadable_.empty() && unreadable_.size() + files_.again == inputs_;
  }
  std::uint64_t clamped_times() const { return clamped_times_; }
  std::uint64_t files_again() const { return files_.again; }
  const TimeOrder& time_order() const { return time_order_; }

 private:
  bool claim_next(Stretch& stretch, const StretchOptions& options);
  bool open_next(std::vector<std::string>& unreadable);
  bool claim_in_file(Stretch& stretch, const StretchOptions& options);
  void close_current();
  void close_all();
  bool read_in_claim(Stretch& stretch, std::size_t frames);
  std::optional<std::int64_t> end_alone(std::size_t file) const;
  bool overlaps(Stretch& stretch) const;
  void merge_from_claim(Stretch& stretch, bool ended);
  bool settle_frames(Stretch& stretch, FileWindow& window);
  bool must_merge(const Stretch& stretch) const;
  void merge_from(Stretch& stretch);
  void read_merged(Stretch& stretch);

  const std::size_t inputs_;
  const std::atomic<bool>& stop_;
  const TraceOptions options_;
  const TraceFiles files_;
  const bool several_;

  // Of claim().
  OpenAhead open_ahead_;
  std::unique_ptr<CaptureReader> current_;
  std::size_t current_file_ = 0;
  std::shared_ptr<StretchedPcap> stretched_;  // the current file, if several threads read it
  std::uint64_t claimed_bytes_ = 0;           // of the current file, if it is read in claim()
  CaptureFacts facts_;
  std::uint64_t claimed_ = 0;         // stretches
  std::uint64_t last_stretched_ = 0;  // of those, until the last of a file that several threads read

  // Files that overlap, and what else one thread alone can put in order, settle() reads. From then on, claim() hands
  // out stretches that are pending, and those that were claimed before and are not settled are void, if merging was
  // found to be necessary when settling.
  std::mutex mutex_;  // of setting `merged_`
  std::unique_ptr<MergedFiles> merged_;
  std::atomic<bool> merging_ = false;
  std::atomic<bool> merged_ended_ = false;
  bool voided_ = false;  // of settle()
  TimeOrder time_order_;

  std::atomic<std::uint64_t> settled_ = 0;  // stretches
  std::atomic<std::uint64_t> bytes_read_ = 0;
  std::atomic<std::uint64_t> frames_read_ = 0;
  std::uint64_t clamped_times_ = 0;
  std::vector<Damage> damage_;
  std::vector<std::string> unreadable_;
};

}  // namespace warpmeter
