// What follows for a run from the options of `live`: its backend, when records leave, and what is shown meanwhile.
#pragma once

#include <chrono>

#include "command/live/live.h"
#include "command/live/service_options.h"
#include "pipeline/metering/backend.h"
#include "pipeline/metering/extract_options.h"

namespace warpmeter::inline command {

// Somebody waits for Flow Records before the capture ends.
bool leave_while_running(const ExtractOptions& options);

// The CPU, unless a GPU is asked for. Throws Error: it cannot do what is asked.
BackendChoice backend_of_live(const ExtractOptions& options);

// Throws Error (usage): options that do not go together.
ExtractOptions options_of_run(const LiveOptions& live, bool on_device);

// How long a block of a ring may wait for more packets. The ring tells of time that has passed by several of these:
// they are a small part of the latency, but no smaller than it takes to fill few blocks, of which a ring has only so
// many. `one_ring`: of the whole capture.
unsigned block_ms_of(std::chrono::nanoseconds max_latency, bool one_ring);

// `options`: those of the run.
ServiceOptions service_options_of(const LiveOptions& live, const ExtractOptions& options);

}  // namespace warpmeter::inline command
