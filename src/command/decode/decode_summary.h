// What a run of `decode` has to tell at its end: on standard error for people, as JSON for programs (--stats).
#pragma once

#include <cstdint>
#include <string>

#include "command/decode/decode_options.h"
#include "packet/segments/set_facts.h"
#include "pipeline/run/stats_file.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

struct DecodeSummary {
  SetFacts facts;
  std::uint64_t passed_over = 0;    // files of folders that are no captures
  std::uint64_t folders_below = 0;  // that were not looked into
  std::uint64_t bytes_read = 0, bytes_written = 0;
  bool interrupted = false;
  double seconds = 0;
};

// Says it, and returns the status of the run.
ExitStatus report(const DecodeSummary& summary, const DecodeCommandOptions& options, StatsFile& stats);

}  // namespace warpmeter::inline command
