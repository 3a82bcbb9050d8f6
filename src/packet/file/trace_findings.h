// What reading a trace brought to light, beside its packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmeter::inline packet {

// Where a file stopped making sense. What came before counts.
struct Damage {
  std::string file;
  std::uint64_t offset;  // bytes from the beginning of the file, unpacked if it is compressed
  std::string reason;
  std::uint64_t skipped = 0;  // bytes until it made sense again, or ended (--resync); 0: nothing behind it was read

  bool operator==(const Damage&) const = default;
};

// The reason that a set of segment files gives where a signal ended its decoding: what it was made of is as good as
// ever.
inline constexpr std::string_view kDecodingInterrupted = "decoding was interrupted";

// What --resync passed over. Of each file the first kMostTold places are told, each as Damage.
struct Skips {
  static constexpr std::size_t kMostTold = 20;

  std::uint64_t places = 0, bytes = 0;
  std::uint64_t untold = 0;  // places

  void add(const Skips& other) {
    places += other.places;
    bytes += other.bytes;
    untold += other.untold;
  }
  bool operator==(const Skips&) const = default;
};

// A pcap file with fractions of a second below 0, or of a second and more. The packet at `offset` is the first.
struct OddFractions {
  std::string file;
  std::uint64_t offset;

  bool operator==(const OddFractions&) const = default;
};

// The first packet of `to` that follows one of `from` is by_ns earlier than the latest packet since the last such
// place.
struct ClockRegression {
  std::string from, to;  // files
  std::int64_t by_ns;

  bool operator==(const ClockRegression&) const = default;
};

// What was not read, or not to its end, though not because of what it holds (Damage).
struct UnreadableFile {
  std::string file;      // its path, or "standard input"
  std::string message;   // a line for users
  bool is_gone = false;  // it was not there when it was to be opened: nothing of it was read
};

std::vector<std::string> messages_of(const std::vector<UnreadableFile>& files);

struct TraceFindings {
  std::vector<Damage> damage;
  Skips skips;
  std::vector<std::string> unreadable;  // messages, a file each
  std::uint64_t files_again = 0;        // regular files that are another one under a second name
  std::uint64_t clamped_times = 0;
  std::vector<OddFractions> odd_fractions;  // one of a file
  std::uint64_t time_runs_back_count = 0;
  std::vector<ClockRegression> time_runs_back;  // the first of them

  bool operator==(const TraceFindings&) const = default;
};

// For people: one line each. `before`: where what came before the damage is, such as "in the output"; empty: nowhere.
std::string text_of(const Damage& damage, std::string_view before = {});
std::string text_of(const OddFractions& odd);
std::string text_of(const Skips& skips);  // such as "12 bytes in 2 places (--resync)"

// The warnings that a run ends with.
std::vector<std::string> warnings_of(const std::vector<Damage>& damage, const Skips& skips,
                                     const std::vector<OddFractions>& odd, std::string_view before = {});

}  // namespace warpmeter::inline packet
