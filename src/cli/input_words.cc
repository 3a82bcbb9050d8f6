#include "cli/input_words.h"

#include <CLI/CLI.hpp>
#include <array>
#include <string>

namespace warpmeter {
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

CLI::Option* add_recursive(CLI::App& command, bool& recursive) {
  return command.add_flag("--recursive", recursive, "folders with all folders below them");
}

}  // namespace warpmeter
