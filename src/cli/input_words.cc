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
                                        "of several files: time: by their first packets, and packets of files that "
                                        "overlap by their times (default); given: one after the other as named; name: "
                                        "one after the other by their names")
      ->check(CLI::IsMember({"time", "given", "name"}));
}

CLI::Option* add_recursive(CLI::App& command, bool& recursive) {
  return command.add_flag("--recursive", recursive, "folders with all folders below them");
}

}  // namespace warpmeter
