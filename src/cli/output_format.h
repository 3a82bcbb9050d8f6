// Which format an output has: the one that was asked for, else the one that its name says.
#pragma once

#include <string>

#include "export/record_writer.h"

namespace warpmeter {

// `word`: "csv", "json", "table", "ipfix", "parquet", or "" if none was asked for. `output`: a name, "-" or "" for
// standard output. Without either, a table on a terminal, else CSV. Throws Error (usage) if the name says nothing.
Format output_format(const std::string& word, const std::string& output);

}  // namespace warpmeter
