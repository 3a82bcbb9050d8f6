// The files of a trace in the order in which they are read. Before anything is read each regular file is opened, looked
// into as far as its first packet, and closed again, so that mistakes show early. And where the time of the trace runs
// back all the same (TimeOrder).
//
// By time: files follow each other by the times of their first packets, those that are alike by their names; files
// without packets come last. What is no regular file (a pipe) comes where it was named: files named before it come
// before it, and only among themselves in the order of time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "packet/file/inputs.h"
#include "packet/file/trace_findings.h"

namespace warpmeter::inline packet {

enum class FileOrder : std::uint8_t { time, given, name };

struct TraceFile {
  std::string path;  // "-" is standard input
  bool regular = false;
  std::optional<std::int64_t> first_ns =
      {};  // the time of its first packet; nothing: it has none, or is no regular file
  // Files of one group whose first packets have times are merged by time where they overlap.
  unsigned group = 0;
};

struct TraceFiles {
  std::vector<TraceFile> files;
  std::vector<UnreadableFile> unreadable;  // not among `files`
  std::uint64_t bytes = 0;                 // of all files as they lie on the disk; 0 if unknown
  std::uint64_t again = 0;                 // regular files that are another one under a second name; not among `files`
  bool unpacks = false;                    // some are compressed
};

// A file that is there under several names (a link, hard links, a folder beside a file in it) is read once, but in the
// order given. Throws nothing that concerns one file alone.
TraceFiles look_at_files(std::vector<std::string> paths, FileOrder order, const std::atomic<bool>& stop,
                         const CaptureOptions& options);

// Must the packets of the file at `next` be merged into those of the one before it, if their times overlap?
bool merges_with(const TraceFile& before, const TraceFile& next);

// Where the time of a trace runs back from one file to the next: files were read in another order than that of their
// packets, or one holds times that run back in itself.
//
// Threads: one at a time.
class TimeOrder {
 public:
  static constexpr std::int64_t kMuch = 1'000'000'000;  // ns; the clocks of two taps may differ by less
  static constexpr std::size_t kMostKept = 100;

  // `files` must outlive it.
  explicit TimeOrder(const std::vector<TraceFile>& files) : files_(files) {}

  // Packets of files[file] come next in the trace: the times of the first and of the latest of them.
  void add(std::size_t file, std::int64_t first_ns, std::int64_t latest_ns) {
    const bool back = begun_ && file != file_ && first_ns < latest_ns_ - kMuch;
    if (back) note(file, latest_ns_ - first_ns);
    if (!begun_ || back || latest_ns > latest_ns_) latest_ns_ = latest_ns;
    file_ = file;
    begun_ = true;
  }

  // Packets of any files come next, none of which is earlier than floor_ns(); the last is of files[file].
  void add_in_order(std::size_t file, std::int64_t latest_ns) {
    latest_ns_ = std::max(latest_ns_, latest_ns);
    file_ = file;
  }
  std::int64_t floor_ns() const { return begun_ ? latest_ns_ - kMuch : std::numeric_limits<std::int64_t>::max(); }

  std::uint64_t count() const { return count_; }
  const std::vector<ClockRegression>& kept() const { return kept_; }  // the first of them

 private:
  void note(std::size_t file, std::int64_t by_ns) {
    ++count_;
    if (kept_.size() < kMostKept) kept_.push_back({files_[file_].path, files_[file].path, by_ns});
  }

  const std::vector<TraceFile>& files_;
  bool begun_ = false;
  std::size_t file_ = 0;  // of the packets so far
  std::int64_t latest_ns_ = 0;
  std::uint64_t count_ = 0;
  std::vector<ClockRegression> kept_;
};

}  // namespace warpmeter::inline packet
