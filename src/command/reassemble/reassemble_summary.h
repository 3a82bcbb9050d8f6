// What a run of `reassemble` has to tell at its end: on standard error for people, as JSON for programs (--stats).
#pragma once

#include <string>
#include <string_view>

#include "command/reassemble/channel_outputs.h"
#include "command/reassemble/stream_reassembly.h"
#include "pipeline/run/command_run.h"

namespace warpmeter::inline command {

struct ReassembleSummary : ReadSummary {
  ReassemblyCounters counters;
  StreamTotals totals;
};

std::string summary_json(const ReassembleSummary& summary);

// `place`: as of reading_warnings().
RunReport report_of(const ReassembleSummary& summary, std::string_view place);

}  // namespace warpmeter::inline command
