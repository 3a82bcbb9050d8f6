// The options of `show`, for its command line and for programs that name them themselves (src/library/).
#pragma once

#include <string>
#include <vector>

#include "app/cli/output_words.h"
#include "command/show/show_options.h"

namespace CLI {
class App;
}

namespace warpmeter::inline app {

// As the user wrote them.
struct ShowWords {
  std::vector<std::string> files;
  std::string filter, sort, top, sum, having, columns;
  OutputWords output;
  bool recursive = false, aggregate = false, json = false, csv = false, quiet = false;
};

// All of the command but the files. `words` must outlive the parsing.
void add_show_options(CLI::App& command, ShowWords& words);

// Throws Error (usage).
ShowOptions show_options_of(ShowWords words);

}  // namespace warpmeter::inline app
