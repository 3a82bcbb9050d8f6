// write_manual FOLDER TOP VERSION DATE [PAGES]: the manual of the program, into share/man/ of FOLDER. TOP is that of
// the tree, PAGES where README.md and docs/ are installed (default: as by Debian's package). The date of the pages is
// DATE, or that of SOURCE_DATE_EPOCH.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "app/cli/commands.h"
#include "manual/completion.h"
#include "manual/manual.h"

namespace {

std::string date_of_pages(const std::string& of_release) {
  const char* const epoch = std::getenv("SOURCE_DATE_EPOCH");
  if (!epoch || !*epoch) return of_release;
  const std::chrono::year_month_day day{
      std::chrono::floor<std::chrono::days>(std::chrono::sys_seconds(std::chrono::seconds(std::stoll(epoch))))};
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(day.year()), static_cast<unsigned>(day.month()),
                static_cast<unsigned>(day.day()));
  return text;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error(path.string() + ": cannot be written");
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5 && argc != 6) throw std::runtime_error("usage: write_manual FOLDER TOP VERSION DATE [PAGES]");
  const std::filesystem::path share = std::filesystem::path(argv[1]) / "share";
  CLI::App app;
  warpmeter::Command chosen;
  warpmeter::add_commands(app, chosen);
  const warpmeter::ManualSources sources{argv[2], date_of_pages(argv[4]), argv[3],
                                         argc == 6 ? argv[5] : "/usr/share/doc/warpmeter"};
  for (const auto& [path, text] : warpmeter::manual_pages(app, sources)) write_file(share / "man" / path, text);
  const auto commands = warpmeter::completed_commands(app);
  write_file(share / "bash-completion/completions/warpmeter", warpmeter::bash_completion(commands));
  write_file(share / "zsh/vendor-completions/_warpmeter", warpmeter::zsh_completion(commands));
  write_file(share / "fish/vendor_completions.d/warpmeter.fish", warpmeter::fish_completion(commands));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "write_manual: %s\n", error.what());
  return 1;
}
