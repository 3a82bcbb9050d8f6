// `warpmeter memory INPUT...`: what streams of a trace would need to be put together, by timeout and block size.
#pragma once

#include <atomic>

#include "command/memory/memory_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// Once `interrupted` is true, reading ends, and the tables are of what was read. Throws Error; then there is no output.
ExitStatus measure_memory(const MemoryOptions& options, const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
