// `warpmeter decode INPUT... -o DIR`: captures to a set of segment files.
#pragma once

#include <atomic>

#include "command/decode/decode_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// Once `interrupted` is true, reading ends, and the set holds what was read and says that it is not all. Throws Error;
// then there is no set.
ExitStatus decode_captures(const DecodeCommandOptions& options, const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
