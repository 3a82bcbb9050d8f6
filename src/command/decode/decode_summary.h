// What a run of `decode` has to tell at its end: on standard error for people, as JSON for programs (--stats).
#pragma once

#include <cstdint>

#include "packet/segments/set_facts.h"
#include "pipeline/run/command_run.h"

namespace warpmeter::inline command {

struct DecodeSummary : ReadSummary {
  SetFacts facts;  // with these findings and counters
  std::uint64_t bytes_written = 0;
};

RunReport report_of(const DecodeSummary& summary);

}  // namespace warpmeter::inline command
