// The words of a command line, so that CLI11 takes them as users mean them.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace warpmeter::inline app {

// `words` are the arguments, the first of them perhaps a command. Throws Error (usage).
//   --stats= is --stats and an empty value, where CLI11 would take the next word, perhaps an input, for the value.
//   a.pcap -- -b.pcap is -- a.pcap -b.pcap, where CLI11 would give what is behind to nobody.
std::vector<std::string> words_for_parser(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace warpmeter::inline app
