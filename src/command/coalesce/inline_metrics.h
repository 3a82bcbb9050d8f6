// What an inline run tells Prometheus (base/metrics).
//
// Threads: any.
#pragma once

#include <string>

#include "command/coalesce/coalesce_summary.h"

namespace warpmeter::inline command {

// REQUIRES: it is of an inline run. `seconds`: since its begin.
std::string inline_metrics(const CoalesceSummary& now, double seconds);

}  // namespace warpmeter::inline command
