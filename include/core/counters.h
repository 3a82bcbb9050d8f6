// Every packet that is not metered is counted by reason, and everything that bends a promise has a counter with a name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

namespace warpmeter {

// Counters by numbers of which most never come: exact, whatever the order of counting and adding, and of bounded size
// as far as the numbers are bounded. All 65,536 of 16 bits take half a megabyte.
class SparseCounts {
 public:
  void add(std::uint32_t number, std::uint64_t count = 1) { pages_[number / kPage][number % kPage] += count; }

  void add(const SparseCounts& other) {
    for (const auto& [page, counts] : other.pages_) {
      Page& to = pages_[page];
      for (std::size_t i = 0; i < kPage; ++i) to[i] += counts[i];
    }
  }

  // Calls see(number, count) for all that came, in the order of numbers.
  template <class See>
  void for_each(See see) const {
    for (const auto& [page, counts] : pages_) {
      for (std::uint32_t i = 0; i < kPage; ++i) {
        if (counts[i]) see(page * kPage + i, counts[i]);
      }
    }
  }

  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for_each([&sum](std::uint32_t, std::uint64_t count) { sum += count; });
    return sum;
  }

 private:
  static constexpr std::uint32_t kPage = 64;
  using Page = std::array<std::uint64_t, kPage>;

  std::map<std::uint32_t, Page> pages_;
};

enum class Ignored : std::uint8_t {
  cut_short,
  not_ip,
  bad_ip_version,
  bad_ip_header_length,
  bad_ip_length,
  unknown_link_type,
  filtered_out,
  not_sampled,
};
inline constexpr int kIgnoredReasons = 8;
inline constexpr int kIgnoredByDecoding = 7;  // segment files are of all flows
static_assert(static_cast<int>(Ignored::not_sampled) == kIgnoredByDecoding);
static_assert(kIgnoredByDecoding + 1 == kIgnoredReasons);
inline constexpr std::array<const char*, kIgnoredReasons> kIgnoredNames = {
    "cut short",         "not IP",       "bad IP version", "bad IP header length", "bad IP length",
    "unknown link type", "filtered out", "not sampled"};

// What decoding found. One per batch, summed at the end.
struct DecodeCounters {
  std::uint64_t frames = 0;
  std::uint64_t metered = 0;
  std::array<std::uint64_t, kIgnoredReasons> ignored{};
  std::uint64_t sharing_frame = 0;  // metered or not sampled, behind another one of the same frame
  std::uint64_t decapsulated = 0;   // metered by a header within another
  std::uint64_t short_transport_headers = 0;
  std::uint64_t malformed_segments = 0;
  std::uint64_t uncaptured_tcp_headers = 0;  // of the short ones, those that the capture cut
  std::uint64_t cut_tcp_headers = 0;         // of the short ones, those that had been cut on the wire
  std::uint64_t ignored_bytes = 0;           // of ignored frames, as long as they were on the wire
  SparseCounts not_ip;                       // what the frames ignored as such are: numbers of NotIp (unread_layers.h)
  SparseCounts unopened_tunnels;             // that were metered by their own header: unopened_number()

  void add(const DecodeCounters& other) {
    frames += other.frames;
    metered += other.metered;
    for (int i = 0; i < kIgnoredReasons; ++i) ignored[i] += other.ignored[i];
    ignored_bytes += other.ignored_bytes;
    sharing_frame += other.sharing_frame;
    decapsulated += other.decapsulated;
    short_transport_headers += other.short_transport_headers;
    malformed_segments += other.malformed_segments;
    uncaptured_tcp_headers += other.uncaptured_tcp_headers;
    cut_tcp_headers += other.cut_tcp_headers;
    not_ip.add(other.not_ip);
    unopened_tunnels.add(other.unopened_tunnels);
  }
};

// What the Metering Process had to do. One per shard, summed at the end.
struct MeterCounters {
  std::uint64_t duplicate_packets = 0;
  std::uint64_t expired = 0;          // flows whose state was freed because they were idle
  std::uint64_t evicted = 0;          // flows whose state was freed because there was no room
  std::uint64_t left_sample = 0;      // flows that were ended since a sample of flows has them no more
  std::uint64_t dropped_holes = 0;    // holes forgotten because there were too many
  std::uint64_t jumps = 0;            // to other sequence numbers (stray.h)
  std::uint64_t peak_live_flows = 0;  // summed over shards: an upper bound
  std::uint64_t on_cpu = 0;           // segments that a device had no room for

  void add(const MeterCounters& other) {
    duplicate_packets += other.duplicate_packets;
    expired += other.expired;
    evicted += other.evicted;
    left_sample += other.left_sample;
    dropped_holes += other.dropped_holes;
    jumps += other.jumps;
    peak_live_flows += other.peak_live_flows;
    on_cpu += other.on_cpu;
  }
};

}  // namespace warpmeter
