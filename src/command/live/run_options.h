// What follows for a run from the options of `live`: its backend, when records leave, what is shown meanwhile, and
// which rights it keeps.
//
// Threads: one.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "command/live/live.h"
#include "packet/nic/xdp/capture_rights.h"
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

// Does it in a thread without rights: threads that it begins have none, whatever becomes of the process later. Throws
// what it throws.
void without_rights(const std::function<void()>& what);

// Which rights a capture keeps once it captures. Rings need none; files may: root writes to folders of other users, and
// reads captures of theirs. `folder`: whose files are read; empty: none is. `options`: of the run.
KeptRights rights_to_keep(const LiveOptions& live, const ExtractOptions& options, const std::string& folder);

}  // namespace warpmeter::inline command
