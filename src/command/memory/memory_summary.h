// What a run of `memory` has to tell at its end, beside its tables: on standard error for people, as JSON for programs
// (--stats).
#pragma once

#include "command/memory/memory_cells.h"
#include "pipeline/run/command_run.h"

namespace warpmeter::inline command {

struct MemorySummary : ReadSummary {
  MemoryTables tables;
};

RunReport report_of(const MemorySummary& summary);

}  // namespace warpmeter::inline command
