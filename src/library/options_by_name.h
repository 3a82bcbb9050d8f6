// Options by their names, as programs give them, to those of a run.
#pragma once

#include "extract/extract_options.h"
#include "warpmeter/extraction.h"

namespace warpmeter {

// Of a run that says nothing on standard error, and writes to no output but those that are named. Throws Error (usage).
ExtractOptions extract_options_of(const Options& options);

}  // namespace warpmeter
