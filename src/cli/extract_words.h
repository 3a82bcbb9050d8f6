// The options of `extract`, for its command line and for programs that name them themselves (src/library/).
#pragma once

#include <string>
#include <vector>

#include "cli/metering_words.h"
#include "cli/output_words.h"
#include "extract/extract_options.h"

namespace CLI {
class App;
}

namespace warpmeter {

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

}  // namespace warpmeter
