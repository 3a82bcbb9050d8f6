#include "app/cli/stream_words.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "app/cli/parse_values.h"
#include "command/reassemble/reassemble_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

constexpr std::uint64_t kLeastBlockSize = 1 << 10, kLargestBlockSize = 256 << 10, kLeastMemory = 1 << 20;
constexpr std::uint64_t kMostGapPackets = 1 << 20;
constexpr std::int64_t kSecond = 1'000'000'000, kLongestTimeout = 256 * kSecond;

}  // namespace

void add_stream_rules(CLI::App& command, StreamWords& words) {
  command
      .add_option(words.before + "block-size", words.block_size,
                  "bytes of a connection that wait before they are submitted, 1K to 256K (default 16K)")
      ->type_name("SIZE");
  command
      .add_option(words.before + "timeout", words.timeout,
                  "a longer silence ends a connection, 1s to 256s; 0 = never (default 64s)")
      ->type_name("TIME");
  add_count(command, words.before + "gap-packets", 0, kMostGapPackets,
            "pieces of data that may wait behind a gap before it is given up; 0 = none (default 8)",
            [&words](std::uint64_t n) { words.gap_packets = static_cast<std::uint32_t>(n); });
  command
      .add_option(words.before + "overlap", words.overlap,
                  "which copy of a byte counts that came twice, as long as it waits; bsd, "
                  "linux, windows (before Vista): as these receive (default first)")
      ->check(CLI::IsMember({"first", "last", "bsd", "linux", "windows"}));
}

void set_streams(const StreamWords& words, std::uint64_t memory, ReassemblerOptions& streams) {
  const auto misused = [](const std::string& option, const std::string& what) {
    throw Error(option + what, ExitStatus::usage);
  };
  if (!words.block_size.empty()) {
    const std::string option = words.before + "block-size";
    const std::uint64_t size = parse_size(option, words.block_size);
    const bool good = size >= kLeastBlockSize && size <= kLargestBlockSize;
    if (!good) misused(option, " " + words.block_size + ": 1K to 256K");
    streams.block_size = static_cast<std::uint32_t>(size);
  }
  if (!words.timeout.empty()) {
    const std::string option = words.before + "timeout";
    const std::int64_t time = parse_time(option, words.timeout);
    const bool good = time == 0 || (time >= kSecond && time <= kLongestTimeout);
    if (!good) misused(option, " " + words.timeout + ": 1s to 256s, or 0 for never");
    streams.timeout_ns = time;
  }
  streams.gap_packets = words.gap_packets.value_or(streams.gap_packets);
  constexpr std::string_view kOverlaps[] = {"first", "last", "bsd", "linux", "windows"};  // as OverlapPolicy has them
  for (std::size_t i = 0; i < std::size(kOverlaps); ++i) {
    if (words.overlap == kOverlaps[i]) streams.overlap = static_cast<OverlapPolicy>(i);
  }
  const std::string option = words.before + "memory";
  streams.memory = words.memory.empty() ? memory : parse_size(option, words.memory);
  if (streams.memory < kLeastMemory) misused(option, ": at least 1M");
}

}  // namespace warpmeter::inline app
