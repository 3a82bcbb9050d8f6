// `warpmeter merge`: files of Flow Records, each in the order of an output, to outputs in that order. Of the parts of a
// trace that share no flows, those are the outputs of `extract` for the whole, byte for byte. merged_flow_files.h does
// it.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "command/merge/merged_flow_files.h"
#include "record/write/output_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// What the user asked of `warpmeter merge`, parsed and with defaults filled in.
struct MergeOptions {
  std::vector<std::string> files;  // as given: files, folders, names of rotated sets; "-" is standard input
  bool recursive = false;          // folders with all below them
  OutputOptions output;
  MergeLimits limits;
  bool quiet = false;
};

// Damage and a line about what was merged go to standard error. Throws Error if it cannot be done or finished; of
// status interrupted, once `interrupted` turns true before all is merged: half of the flows, in the order of their
// keys, are no use to anybody. There are no output files then, but those that --rotate has completed.
ExitStatus merge(const MergeOptions& options, const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
