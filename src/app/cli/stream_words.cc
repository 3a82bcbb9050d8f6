#include "app/cli/stream_words.h"

#include <CLI/CLI.hpp>
#include <cstdint>

#include "app/cli/parse_values.h"
#include "command/reassemble/reassemble.h"

namespace warpmeter::inline app {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr Bounds kBlockSizes{.least = 1 << 10, .most = 256 << 10, .said = "1K to 256K", .shows_value = true};
constexpr Bounds kTimeouts{.least = kSecond,
                           .most = 256 * kSecond,
                           .said = "1s to 256s, or 0 for never",
                           .shows_value = true,
                           .or_zero = true};
constexpr std::uint64_t kMostGapPackets = 1 << 20;

}  // namespace

std::vector<CLI::Option*> add_stream_rules(CLI::App& command, const std::string& before, ReassemblerOptions& streams) {
  return {add_size(command, before + "block-size", streams.block_size,
                   "bytes of a connection that wait before they are submitted, 1K to 256K (default 16K)", kBlockSizes),
          add_time(command, before + "timeout", streams.timeout_ns,
                   "a longer silence ends a connection, 1s to 256s; 0 = never (default 64s)", kTimeouts),
          add_count(command, before + "gap-packets", 0, kMostGapPackets,
                    "pieces of data that may wait behind a gap before it is given up; 0 = none (default 8)",
                    [&streams](std::uint64_t n) { streams.gap_packets = static_cast<std::uint32_t>(n); }),
          add_word(command, before + "overlap", streams.overlap,
                   {{"first", OverlapPolicy::first},
                    {"last", OverlapPolicy::last},
                    {"bsd", OverlapPolicy::bsd},
                    {"linux", OverlapPolicy::linux_},
                    {"windows", OverlapPolicy::windows}},
                   "which copy of a byte counts that came twice, as long as it waits; bsd, "
                   "linux, windows (before Vista): as these receive (default first)")};
}

CLI::Option* add_stream_memory(CLI::App& command, const std::string& before, const std::string& usual,
                               ReassemblerOptions& streams) {
  return add_size(command, before + "memory", streams.memory,
                  "for connections and what they wait with (default: " + usual + ")", kMemoryBounds);
}

}  // namespace warpmeter::inline app
