// What the user says about the inputs of a command that reads captures.
#pragma once

#include <optional>

#include "capture/input_format.h"
#include "capture/trace_files.h"
#include "segments/segment_sets.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace warpmeter {

// These add an option that sets the variable, which must outlive the parsing.
CLI::Option* add_input_format(CLI::App& command, InputFormat& format);                     // --input-format
CLI::Option* add_file_order(CLI::App& command, FileOrder& order);                          // --order
CLI::Option* add_recursive(CLI::App& command, bool& recursive);                            // --recursive
CLI::Option* add_partition(CLI::App& command, std::optional<PartitionChoice>& partition);  // --partition

}  // namespace warpmeter
