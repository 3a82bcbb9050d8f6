// The options of `extract`, for its command line and for programs that name them themselves (src/library/).
#pragma once

#include <string>
#include <vector>

#include "app/cli/metering_words.h"
#include "app/cli/output_words.h"
#include "pipeline/metering/extract_options.h"

namespace CLI {
class App;
}

namespace warpmeter::inline app {

// As the user wrote them.
struct ExtractWords {
  std::vector<std::string> inputs_and_filter;
  OutputWords output;
  MeteringWords metering;
};

// All of the command but the inputs. `words` must outlive the parsing.
void add_extract_options(CLI::App& command, ExtractWords& words);

// Throws Error (usage).
ExtractOptions extract_options_of(const ExtractWords& words);

}  // namespace warpmeter::inline app
