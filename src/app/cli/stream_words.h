// How TCP streams are put together: options of `reassemble` and, with another beginning of their names, of `live`.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpmeter::inline stream {
struct ReassemblerOptions;
}  // namespace warpmeter::inline stream

namespace warpmeter::inline app {

// Names begin with `before`, "--" or "--stream-". Parsing sets `streams`, which must outlive it, or throws Error
// (usage). Both join the group that is open.

// Block size, timeout, gap packets and overlap.
std::vector<CLI::Option*> add_stream_rules(CLI::App& command, const std::string& before, ReassemblerOptions& streams);

// `usual` says what it is where nothing is said of it: it is left as it was then.
CLI::Option* add_stream_memory(CLI::App& command, const std::string& before, const std::string& usual,
                               ReassemblerOptions& streams);

}  // namespace warpmeter::inline app
