// What a run of `reassemble` has to tell at its end: on standard error for people, as JSON for programs (--stats).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "command/reassemble/channel_outputs.h"
#include "command/reassemble/reassemble_options.h"
#include "command/reassemble/stream_reassembly.h"
#include "core/counters.h"
#include "packet/file/trace_findings.h"
#include "pipeline/run/stats_file.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

struct ReassembleSummary {
  DecodeCounters decode;
  ReassemblyCounters counters;
  StreamTotals totals;
  TraceFindings findings;
  std::uint64_t passed_over = 0;    // files of folders that are no captures
  std::uint64_t folders_below = 0;  // that were not looked into
  std::uint64_t bytes_read = 0;
  bool interrupted = false;
  double seconds = 0;
};

std::string summary_json(const ReassembleSummary& summary);

// Lines for the user: files that cannot be read, and damage. `place`: where what came before it is.
std::vector<std::string> warnings_of(const ReassembleSummary& summary, std::string_view place);

// Says it, and returns the status of the run.
ExitStatus report(const ReassembleSummary& summary, const ReassembleCommandOptions& options, StatsFile& stats);

}  // namespace warpmeter::inline command
