// Values as users write them: sizes, counts and times with the units of base/words/amount.h. `option` is the one that
// the error names: "--memory 12x: not a size: ...".
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/words/amount.h"

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

// As add_count() takes it. Throws Error (usage).
std::uint64_t parse_count_within(const std::string& option, const std::string& text, std::uint64_t least,
                                 std::uint64_t most);

// An option whose value is a count within bounds; parsing passes it to `set`, or throws Error (usage).
CLI::Option* add_count(CLI::App& command, const std::string& option, std::uint64_t least, std::uint64_t most,
                       const std::string& help, const std::function<void(std::uint64_t)>& set);

// Where a size or a time (in ns) has to lie, and how an error says it: "1K to 256K".
struct Bounds {
  std::uint64_t least = 0, most = std::numeric_limits<std::uint64_t>::max();
  const char* said = "";
  bool shows_value = false;  // in the error
  bool or_zero = false;
};
inline constexpr Bounds kMemoryBounds{.least = 1 << 20, .said = "at least 1M"};  // of --memory

// An option whose value `read` takes, which may throw Error (usage); an empty one is refused as no value.
CLI::Option* add_text(CLI::App& command, const std::string& option, const std::string& help,
                      const std::function<void(const std::string&)>& read);

// An option whose value is an amount within bounds; parsing passes it to `set`, or throws Error (usage).
CLI::Option* add_amount(CLI::App& command, const std::string& option, AmountOf what, const std::string& help,
                        const std::function<void(std::uint64_t)>& set, const Bounds& bounds = {});

// As add_amount(). Parsing sets `target`, which must outlive it.
template <class Target>
CLI::Option* add_size(CLI::App& command, const std::string& option, Target& target, const std::string& help,
                      const Bounds& bounds = {}) {
  const auto set = [&target](std::uint64_t bytes) { target = static_cast<Target>(bytes); };
  return add_amount(command, option, AmountOf::bytes, help, set, bounds);
}

// `target`: nanoseconds as a number, or a duration.
template <class Target>
CLI::Option* add_time(CLI::App& command, const std::string& option, Target& target, const std::string& help,
                      const Bounds& bounds = {}) {
  const auto set = [&target](std::uint64_t ns) {
    const auto signed_ns = static_cast<std::int64_t>(ns);
    if constexpr (std::is_integral_v<Target>) target = signed_ns;
    else target = std::chrono::duration_cast<Target>(std::chrono::nanoseconds(signed_ns));
  };
  return add_amount(command, option, AmountOf::time, help, set, bounds);
}

// An option whose value is one of these words; parsing passes its number to `set`, or throws what CLI11 does.
CLI::Option* add_choice(CLI::App& command, const std::string& option, const std::vector<std::string>& words,
                        const std::string& help, const std::function<void(std::size_t)>& set);

// An option whose value is one of these words; parsing sets `target`, which must outlive it, to what stands behind the
// word.
template <class Target>
CLI::Option* add_word(CLI::App& command, const std::string& option, Target& target,
                      const std::vector<std::pair<std::string, std::type_identity_t<Target>>>& words,
                      const std::string& help) {
  std::vector<std::string> names;
  for (const auto& [name, value] : words) names.push_back(name);
  return add_choice(command, option, names, help, [&target, words](std::size_t i) { target = words[i].second; });
}

// --threads, whose value goes to `threads`, which must outlive the parsing: now it becomes one a CPU core.
CLI::Option* add_threads(CLI::App& command, unsigned& threads);

// Throws Error (usage) if a folder has the name that a file is to have which `option` names.
void refuse_folder(const std::string& option, const std::string& name);

// The group "Messages": --quiet and --stats. Both variables must outlive the parsing.
void add_messages(CLI::App& command, bool& quiet, std::string& stats_file);

// "a,b" as its parts.
std::vector<std::string> split_at_commas(const std::string& text);

// `--top 10 by COLUMN`: the words behind the number stand among the files until they are taken out here.
struct Top {
  std::size_t most = 0;  // 0 = all
  std::string column;    // "" if none is named; perhaps with :asc or :desc
  std::string per;       // a key of sums; "" if none is named
};

// `value`: "10" or "10 by COLUMN per KEY", or "" for all. What it does not say of "by" and "per" is taken out of
// `files` with the word behind it, if there is such. Throws Error (usage), also where nothing stands behind these.
Top take_top(const std::string& value, std::vector<std::string>& files);

}  // namespace warpmeter::inline app
