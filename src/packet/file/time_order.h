// Where the time of a trace runs back from one file to the next: files were read in another order than that of their
// packets, or one holds times that run back in itself.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "packet/file/trace_files.h"
#include "packet/file/trace_findings.h"

namespace warpmeter::inline packet {

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
  const std::vector<TimeRunsBack>& kept() const { return kept_; }  // the first of them

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
  std::vector<TimeRunsBack> kept_;
};

}  // namespace warpmeter::inline packet
