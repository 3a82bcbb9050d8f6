// The timeouts and block sizes that the memory tables are of, and what they say of each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace warpmeter::inline command {

inline constexpr std::size_t kTimeouts = 9, kBlockSizes = 9;

// Of number `i`: 1 s, 2 s ... 256 s; 1 KiB, 2 KiB ... 256 KiB.
constexpr std::uint64_t timeout_seconds(std::size_t i) { return std::uint64_t{1} << i; }
constexpr std::uint64_t timeout_ns(std::size_t i) { return timeout_seconds(i) * 1'000'000'000; }
constexpr std::uint64_t block_bytes(std::size_t i) { return std::uint64_t{1024} << i; }

inline constexpr std::size_t kDefaultTimeout = 6, kDefaultBlockSize = 4;  // 64 s, 16 KiB

// The number of this one, if it is one of them.
constexpr std::optional<std::size_t> timeout_number(std::int64_t ns) {
  for (std::size_t i = 0; i < kTimeouts; ++i) {
    if (ns >= 0 && timeout_ns(i) == static_cast<std::uint64_t>(ns)) return i;
  }
  return std::nullopt;
}
constexpr std::optional<std::size_t> block_size_number(std::uint64_t bytes) {
  for (std::size_t i = 0; i < kBlockSizes; ++i) {
    if (block_bytes(i) == bytes) return i;
  }
  return std::nullopt;
}

// A quantity over the time of a trace.
struct OverTime {
  double mean = 0;
  std::uint64_t peak = 0;

  bool operator==(const OverTime&) const = default;
};

// What a trace comes to: streams that are alive by timeout, bytes that they buffer by timeout and block size.
struct MemoryTables {
  std::uint64_t packets = 0, ip_bytes = 0;  // all IP packets, their lengths
  std::uint64_t length_ns = 0;              // from the first IP packet to the last
  std::array<OverTime, kTimeouts> streams = {};
  std::array<std::array<OverTime, kBlockSizes>, kTimeouts> buffered = {};

  // Where these are not 0, the tables are not exact.
  std::uint64_t joined_ranges = 0;  // gaps between bytes that were taken for seen, for want of room
  std::uint64_t forgotten = 0;      // dead connections, whose bytes count as new if they come once more
  std::uint64_t ended_early = 0;    // living ones, for want of memory
  std::size_t damaged_inputs = 0;   // not read, or not to the end
  bool interrupted = false;         // so was reading

  bool is_empty() const { return packets == 0; }
  double seconds() const { return static_cast<double>(length_ns == 0 ? 1 : length_ns) / 1e9; }
  double mbps() const { return static_cast<double>(ip_bytes) * 8 / seconds() / 1e6; }
};

}  // namespace warpmeter::inline command
