// The manual pages of the program: warpmeter(1), one a command, warpmeter-columns(5) and warpmeter-filter(7). What they
// say comes from the options as the program has them, its columns and words of filters, and from the pages of docs/.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace warpmeter {

struct ManualSources {
  std::filesystem::path top;  // of the tree: README.md, docs/
  std::string date;           // 2026-01-31
  std::string version;
  std::string pages;  // where docs/ is installed
};

// Files by their path below share/man/. Throws std::runtime_error if a source is not there or not as it must be.
using ManualFiles = std::map<std::string, std::string>;
ManualFiles manual_pages(const CLI::App& app, const ManualSources& sources);

// All of them, and the completions of shells, below this folder. Throws likewise, or if a file cannot be written.
void write_manual(const std::filesystem::path& share, const ManualSources& sources);

}  // namespace warpmeter
