// What the user says about an inline run, `warpmeter coalesce -i IN --to OUT`.
//
// Threads: one.
#pragma once

#include <string>
#include <vector>

#include "command/coalesce/inline_coalesce.h"


namespace CLI {
class App;
}

namespace warpmeter::inline app {

struct InlineWords {
  std::string interface, to;
  std::vector<std::string> metrics_names;
  InlineOptions options;  // what needs no thought; without what other runs of coalesce have as well
};

// The group "Inline". Parsing sets `words`, which must outlive it.
void add_inline(CLI::App& command, InlineWords& words);

// Throws Error (usage) for an option that means nothing to the kind of run that the command line asks for.
void refuse_idle_coalesce_options(const CLI::App& command, bool is_inline);

// With the options that all runs have.
InlineOptions inline_options_of(const InlineWords& words, const CoalesceOptions& common);

}  // namespace warpmeter::inline app
