// What a run of `reassemble` has to tell at its end: on standard error for people, as JSON for programs (--stats).
#pragma once

#include <cstdint>

#include "capture/trace_findings.h"
#include "core/counters.h"
#include "extract/stats_file.h"
#include "reassemble/channel_outputs.h"
#include "reassemble/reassemble_options.h"
#include "reassemble/stream_reassembly.h"
#include "warpmeter/status.h"

namespace warpmeter {

struct ReassembleSummary {
  DecodeCounters decode;
  ReassemblyCounters counters;
  StreamTotals totals;
  TraceFindings findings;
  std::uint64_t bytes_read = 0;
  bool interrupted = false;
  double seconds = 0;
};

// Says it, and returns the status of the run.
ExitStatus report(const ReassembleSummary& summary, const ReassembleCommandOptions& options, StatsFile& stats);

}  // namespace warpmeter
