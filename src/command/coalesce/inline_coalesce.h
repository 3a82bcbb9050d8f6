// `warpmeter coalesce -i IN --to OUT`: packets of an interface forwarded to a TAP device or to another interface, those
// of TCP joined to super-packets, and what comes from there forwarded as it is.
#pragma once

#include <atomic>

#include "base/program/interrupt.h"
#include "command/coalesce/inline_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// Until `stop` is true, or SIGHUP. Throws Error. What ends it before that, such as an interface that is removed, is
// status 1.
ExitStatus coalesce_inline(const InlineOptions& options, const ServiceSignals& signals, const std::atomic<bool>& stop);

}  // namespace warpmeter::inline command
