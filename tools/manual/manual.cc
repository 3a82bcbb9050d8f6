#include "manual/manual.h"

#include <CLI/CLI.hpp>
#include <fstream>
#include <stdexcept>

#include "app/cli/commands.h"
#include "app/cli/option_text.h"
#include "manual/completion.h"
#include "manual/pages.h"

namespace warpmeter {

namespace {

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error(path.string() + ": cannot be written");
}

}  // namespace

ManualFiles manual_pages(const CLI::App& app, const ManualSources& sources) {
  ManualFiles files;
  files["man1/warpmeter.1"] = program_page(app, sources);
  for (const CLI::App* command : commands_of(app)) {
    files["man1/warpmeter-" + command->get_name() + ".1"] = command_page(app, *command, sources);
  }
  files["man5/warpmeter-columns.5"] = columns_page(app, sources);
  files["man7/warpmeter-filter.7"] = filter_page(app, sources);
  return files;
}

void write_manual(const std::filesystem::path& share, const ManualSources& sources) {
  CLI::App app;
  Command chosen;
  add_commands(app, chosen);
  for (const auto& [path, text] : manual_pages(app, sources)) write_file(share / "man" / path, text);
  const auto commands = completed_commands(app);
  write_file(share / "bash-completion/completions/warpmeter", bash_completion(commands));
  write_file(share / "zsh/vendor-completions/_warpmeter", zsh_completion(commands));
  write_file(share / "fish/vendor_completions.d/warpmeter.fish", fish_completion(commands));
}

}  // namespace warpmeter
