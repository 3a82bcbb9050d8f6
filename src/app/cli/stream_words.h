// How TCP streams are put together, as the user wrote it: options of `reassemble` and, with another beginning of their
// names, of `live`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace warpmeter::inline stream {
struct ReassemblerOptions;
}  // namespace warpmeter::inline stream

namespace warpmeter::inline app {

struct StreamWords {
  std::string before = "--";                                             // of each name: "--" or "--stream-"
  std::string block_size = {}, timeout = {}, overlap = {}, memory = {};  // empty: not given
  std::optional<std::uint32_t> gap_packets = {};
};

// Block size, timeout, gap packets and overlap; they join the group that is open. `words` must outlive the parsing.
void add_stream_rules(CLI::App& command, StreamWords& words);

// Sets what they say. `memory`: where they say nothing of it. Throws Error (usage).
void set_streams(const StreamWords& words, std::uint64_t memory, ReassemblerOptions& streams);

}  // namespace warpmeter::inline app
