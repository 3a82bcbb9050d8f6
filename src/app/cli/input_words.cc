#include "app/cli/input_words.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <bit>
#include <charconv>
#include <string>

#include "core/flow_hash.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

// As InputFormat counts them.
constexpr std::array<const char*, 5> kWords = {"auto", "pcap", "pcapng", "hpcap", "erf"};

}  // namespace

CLI::Option* add_input_format(CLI::App& command, InputFormat& format) {
  const auto set = [&format](const std::string& word) {
    for (std::size_t i = 0; i < kWords.size(); ++i) {
      if (word == kWords[i]) format = static_cast<InputFormat>(i);
    }
  };
  return command
      .add_option_function<std::string>("--input-format", set,
                                        "what all inputs are (default auto: what they look like)")
      ->check(CLI::IsMember(std::vector<std::string>(kWords.begin(), kWords.end())));
}

CLI::Option* add_file_order(CLI::App& command, FileOrder& order) {
  const auto set = [&order](const std::string& word) {
    order = word == "given" ? FileOrder::given : word == "name" ? FileOrder::name : FileOrder::time;
  };
  return command
      .add_option_function<std::string>("--order", set,
                                        "several files in the order of their first packets, packets of files that "
                                        "overlap merged by time (time, the default); one after the other as named "
                                        "(given), or by their names (name)")
      ->check(CLI::IsMember({"time", "given", "name"}));
}

CLI::Option* add_partition(CLI::App& command, std::optional<PartitionChoice>& partition) {
  const auto set = [&partition](const std::string& text) {
    PartitionChoice choice;
    const char* const end = text.data() + text.size();
    const auto number = std::from_chars(text.data(), end, choice.number);
    const bool slash = number.ec == std::errc() && number.ptr != end && *number.ptr == '/';
    const auto of = slash ? std::from_chars(number.ptr + 1, end, choice.of) : number;
    const bool good = slash && of.ec == std::errc() && of.ptr == end && std::has_single_bit(choice.of) &&
                      choice.of <= kShards && 1 <= choice.number && choice.number <= choice.of;
    if (!good) {
      throw Error(fmt::format("--partition {}: not I/N, as 3/16: part I, from 1 on, of N, a power of two up to {}",
                              text, kShards),
                  ExitStatus::usage);
    }
    partition = choice;
  };
  return command.add_option_function<std::string>("--partition", set,
                                                  "of segment files (see decode): part I/N of all flows, such as 3/16");
}

void open_input_group(CLI::App& command) { command.option_defaults()->group("Input"); }

void add_captures(CLI::App& command, std::vector<std::string>& words, const std::string& more) {
  command
      .add_option("INPUT", words,
                  "capture files (pcap, pcapng, HP-CAP, ERF), folders of them, or - for standard input; then perhaps a "
                  "capture filter as in pcap-filter(7)" +
                      more)
      ->required();
}

CLI::Option* add_recursive(CLI::App& command, bool& recursive) {
  return command.add_flag("--recursive", recursive, "folders with all folders below them");
}

CLI::Option* add_resync(CLI::App& command, bool& resync) {
  return command.add_flag("--resync", resync,
                          "behind damage go on at the next place where packets seem to be, and count what was skipped "
                          "(default: a file ends at its damage)");
}

}  // namespace warpmeter::inline app
