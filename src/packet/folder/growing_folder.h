// Captures of a folder that grows, as rounds of files that have become complete: when it goes on, when it ends, and
// what became of the files. What was there at the beginning is the first round, or several.
//
// It ends when it is told to, after a time, or when the folder is gone. What was complete by then is read still, but
// not for longer than kLongestDrain.
//
// Threads: next_round(), wait(), wants_to_stop(), is_over() and wants_pause() by one at a time; facts() and take_done()
// while nobody reads; the others by any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/thread_annotations.h"
#include "packet/file/capture_reader.h"
#include "packet/file/inputs.h"
#include "packet/file/trace.h"
#include "packet/file/trace_files.h"
#include "packet/folder/capture_folder.h"
#include "packet/folder/seen_files.h"

namespace warpmeter::inline packet {

// Files of a folder that are read together, as one trace: packets of files that overlap in time are merged.
struct FolderRound {
  std::vector<SeenFile> files;
  std::unique_ptr<Trace> trace;
  // Of its chunks. GrowingFolder::mutex_ guards them: several threads hand chunks out and take them back.
  std::uint64_t claimed = 0, committed = 0;
  bool is_claimed = false;  // there will be no more
};

struct GrowingFolderOptions {
  CaptureOptions capture = {};
  std::chrono::nanoseconds duration{0};               // 0 = until it is told to end
  std::function<void(const std::string& line)> warn;  // a line for people about a file
  std::vector<std::string> outputs = {};              // files of ours, which are not read
  std::uint64_t most_bytes_of_round = UINT64_MAX;     // but at least one file
  bool whole_rounds = false;                          // none is given up in the middle
};

// What became of the files. Lists hold the first kMostKept; everything that is in them was told to `warn`, as was what
// changed, and that the folder is gone.
struct FolderFacts {
  std::uint64_t files = 0;          // that were read
  std::uint64_t being_written = 0;  // that were left, because they still were
  std::uint64_t left = 0;           // that were complete, but not read in time at the end
  std::uint64_t changed = 0;        // that were longer or shorter some time after they were read
  std::uint64_t passed_over = 0;    // that are no captures
  std::uint64_t folders_below = 0;  // that were not looked into
  std::uint64_t damaged = 0;        // of those that were read
  Skips skips;                      // --resync
  std::uint64_t clamped_times = 0;
  std::vector<OddFractions> odd_fractions;  // of files, as long as the lists have room
  std::uint64_t time_runs_back_count = 0;
  std::vector<ClockRegression> time_runs_back;
  std::vector<std::string> unreadable;  // messages
  std::vector<Damage> damage;
  std::uint64_t unreadable_beyond = 0, damage_beyond = 0;  // what the lists have no room for
  bool folder_is_gone = false;
};

class GrowingFolder {
 public:
  static constexpr std::chrono::seconds kLongestDrain{10};
  static constexpr std::size_t kMostKept = 1000;

  // `stop` must outlive it. `seen`: files that were read before. Throws Error: there is no such folder, or it cannot be
  // watched.
  GrowingFolder(std::string path, GrowingFolderOptions options, const std::atomic<bool>& stop, SeenFiles seen = {});

  // The next files that have become complete and can be read; null: there are none now.
  std::shared_ptr<FolderRound> next_round();
  // Until something happens in the folder, or for so long.
  void wait(std::chrono::milliseconds longest);
  // It ends now, or has begun to: what becomes complete from then on is not read.
  bool wants_to_stop();
  // There will be no more rounds.
  bool is_over();

  // Between rounds, and while it waits, others want to do something when they say so; behind each round, if they ever
  // do.
  void pause_when(std::function<bool()> is_wanted) { is_pause_wanted_ = std::move(is_wanted); }
  bool wants_pause(bool behind_round) const { return is_pause_wanted_ && (behind_round || is_pause_wanted_()); }

  // A chunk of the round was handed out, or (`last`) there are no more; one is committed, with packets up to
  // `latest_ns` as far as is known.
  void claimed(FolderRound& round, bool last);
  void committed(FolderRound& round, std::int64_t latest_ns);
  // A packet of what is committed has this time.
  void has_given(std::int64_t latest_ns);
  // The latest of these times; INT64_MIN: there was none.
  std::int64_t latest_ns() const { return latest_ns_.load(std::memory_order_relaxed); }

  // The duration counts from here, or else from when it was made.
  void begin() { start_ = Clock::now(); }
  // As if it had been told to, but what is complete is not read any more.
  void end() { ended_ = halt_ = true; }

  // It ends, or will when what is complete has been read.
  bool is_told_to_end() const { return stop_ || ended_ || stopping_; }
  std::uint64_t polls() const { return looks_.load(std::memory_order_relaxed); }  // for files and chunks, so far

  bool ends() const { return options_.duration.count() > 0; }
  const std::string& path() const { return path_; }
  int descriptor() const { return folder_.descriptor(); }
  FolderFacts facts() const;
  // Files of rounds that are over, of which something was read, and those that are known and have other names by now,
  // since this was asked last. Only where pauses are wanted.
  std::vector<SeenFile> take_done() { return std::exchange(done_, {}); }
  // This file is gone: one that comes under its name or number is another. Not while a round is on its way.
  void forget(const SeenFile& file) { seen_.forget(file); }

 private:
  using Clock = std::chrono::steady_clock;

  bool gives_up_looking();
  void accept_complete();
  void accept(SeenFile file);
  bool is_known_unlooked_at(SeenFile& file);
  bool is_known(SeenFile& file);
  void keep_done(const SeenFile& file);
  void look_at_fate(SeenFile& file, const Trace& trace) const;
  void not_read(SeenFile file, const std::string& message);
  std::string path_of(const SeenFile& file) const { return path_ + '/' + file.name; }
  std::shared_ptr<FolderRound> round_of_waiting();
  // REQUIRES, of these: mutex_ is held.
  void finish(FolderRound& round);
  void note_time(const FolderRound& round);
  void tell_unreadable(const Trace& trace);
  void tell_unreadable(const std::string& message);
  void tell_damage(const Trace& trace);

  const std::string path_;
  const GrowingFolderOptions options_;
  const std::atomic<bool>& stop_;
  std::atomic<Clock::time_point> start_;
  std::optional<Clock::time_point> told_at_;  // to end, as was noticed while the folder was looked through
  std::atomic<bool> ended_ = false;
  std::atomic<bool> halt_ = false;  // of the traces
  std::atomic<bool> stopping_ = false;
  CaptureFolder folder_;  // asks for those above
  std::function<bool()> is_pause_wanted_;
  std::atomic<std::uint64_t> looks_ = 0;
  Clock::time_point give_up_;     // once stopping
  std::deque<SeenFile> waiting_;  // complete, and can be read
  SeenFiles seen_;
  bool has_begun_ = false;     // what was there at the beginning has been looked at
  std::size_t seen_kept_ = 0;  // when those that are gone were forgotten last
  std::atomic<std::int64_t> latest_ns_ = INT64_MIN;
  mutable std::mutex mutex_;
  FolderFacts facts_ WARPMETER_GUARDED_BY(mutex_);
  std::string last_file_ WARPMETER_GUARDED_BY(mutex_);  // of the round before
  std::vector<SeenFile> done_ WARPMETER_GUARDED_BY(mutex_);
  std::vector<SeenFile> vanished_ WARPMETER_GUARDED_BY(mutex_);  // files that nothing was read of
  std::atomic<unsigned> unfinished_ = 0;                         // rounds
};

}  // namespace warpmeter::inline packet
