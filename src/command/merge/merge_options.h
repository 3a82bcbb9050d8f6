// What the user asked of `warpmeter merge`, parsed and with defaults filled in.
#pragma once

#include <string>
#include <vector>

#include "command/merge/merged_flow_files.h"
#include "record/write/output_options.h"

namespace warpmeter::inline command {

struct MergeOptions {
  std::vector<std::string> files;  // as given: files, folders, names of rotated sets; "-" is standard input
  bool recursive = false;          // folders with all below them
  OutputOptions output;
  MergeLimits limits;
  bool quiet = false;
};

}  // namespace warpmeter::inline command
