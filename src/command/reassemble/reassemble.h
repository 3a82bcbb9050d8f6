// `warpmeter reassemble INPUT... -o PLACE`: captures to what TCP carried in them, as JSON, as a stream of records, as a
// folder of files, or as several of these.
#pragma once

#include <atomic>

#include "command/reassemble/reassemble_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// Once `interrupted` is true, reading ends, and the outputs hold what was read. Throws Error; then there are none, but
// for what has gone into a pipe.
ExitStatus reassemble(const ReassembleCommandOptions& options, const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
