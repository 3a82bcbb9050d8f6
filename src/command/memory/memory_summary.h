// What a run of `memory` has to tell at its end, beside its tables: on standard error for people, as JSON for programs
// (--stats).
#pragma once

#include <cstdint>
#include <string>

#include "command/memory/memory_cells.h"
#include "command/memory/memory_options.h"
#include "core/counters.h"
#include "packet/file/trace_findings.h"
#include "pipeline/run/stats_file.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

struct MemorySummary {
  DecodeCounters counters;
  TraceFindings findings;
  std::uint64_t passed_over = 0;    // files of folders that are no captures
  std::uint64_t folders_below = 0;  // that were not looked into
  MemoryTables tables;
  std::uint64_t bytes_read = 0;
  bool interrupted = false;
  double seconds = 0;
};

ExitStatus status_of(const MemorySummary& summary);

// Says it, and returns the status of the run.
ExitStatus report(const MemorySummary& summary, const MemoryOptions& options, StatsFile& stats);

}  // namespace warpmeter::inline command
