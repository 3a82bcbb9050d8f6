// What reading a trace brought to light, beside its packets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmeter {

// Where a file stopped making sense. What came before counts.
struct Damage {
  std::string file;
  std::uint64_t offset;  // bytes from the beginning of the file, unpacked if it is compressed
  std::string reason;

  bool operator==(const Damage&) const = default;
};

// The first packet of `to` that follows one of `from` is by_ns earlier than the latest packet since the last such
// place.
struct TimeRunsBack {
  std::string from, to;  // files
  std::int64_t by_ns;

  bool operator==(const TimeRunsBack&) const = default;
};

struct TraceFindings {
  std::vector<Damage> damage;
  std::vector<std::string> unreadable;  // messages, a file each
  std::uint64_t files_again = 0;        // regular files that are another one under a second name
  std::uint64_t clamped_times = 0;
  std::uint64_t time_runs_back_count = 0;
  std::vector<TimeRunsBack> time_runs_back;  // the first of them

  bool operator==(const TraceFindings&) const = default;
};

}  // namespace warpmeter
