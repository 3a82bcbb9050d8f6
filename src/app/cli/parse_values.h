// Values as users write them: sizes, counts and times with the units of base/words/amount.h. `option` is the one that
// the error names: "--memory 12x: not a size: ...".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpmeter::inline app {

// "512M", "1.5GiB", "10GB" -> bytes. Throws Error (usage).
std::uint64_t parse_size(const std::string& option, const std::string& text);

// "500000", "56M" -> packets and the like. Throws Error (usage).
std::uint64_t parse_count(const std::string& option, const std::string& text);

// "300" (seconds), "1.5s", "100ms", "5m", "2h" -> ns. Throws Error (usage).
std::int64_t parse_time(const std::string& option, const std::string& text);

// --gpu: "0", "0,2,3" -> numbers from 0 on, each once; "all" -> none. Throws Error (usage).
std::vector<int> parse_gpus(const std::string& text);

// "1/64" -> 64. Throws Error (usage).
std::uint32_t parse_sample(const std::string& option, const std::string& text);
// Of "auto", or "auto:1/N", the N; nothing of other words.
std::optional<std::uint32_t> parse_changing_sample(const std::string& option, const std::string& text);

// An option whose value is a count within bounds; parsing passes it to `set`, or throws Error (usage).
CLI::Option* add_count(CLI::App& command, const std::string& option, std::uint64_t least, std::uint64_t most,
                       const std::string& help, const std::function<void(std::uint64_t)>& set);

// --threads, whose value goes to `threads`, which must outlive the parsing: now it becomes one a CPU core.
CLI::Option* add_threads(CLI::App& command, unsigned& threads);

// The group "Messages": --quiet and --stats. Both variables must outlive the parsing.
void add_messages(CLI::App& command, bool& quiet, std::string& stats_file);

// `--top 10 by COLUMN`: the words behind the number stand among the files until they are taken out here.
struct Top {
  std::size_t most = 0;  // 0 = all
  std::string column;    // "" if none is named; perhaps with :asc or :desc
};

// `value`: "10" or "10 by COLUMN", or "" for all. Otherwise "by" and the word behind it are taken out of `files` if
// there are such. Throws Error (usage), also where nothing stands behind "by".
Top take_top(const std::string& value, std::vector<std::string>& files);

}  // namespace warpmeter::inline app
