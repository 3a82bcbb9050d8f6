// `warpmeter coalesce -i IN --to OUT`: packets of an interface forwarded to a TAP device or to another interface, those
// of TCP joined to super-packets, and what comes from there forwarded as it is.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/metrics/metrics_address.h"
#include "base/program/interrupt.h"
#include "command/coalesce/coalesce.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// tap:NAME[@NETNS], or if:NAME.
struct InlineOutput {
  bool is_tap = true;
  std::string name;
  std::string space = {};  // network namespace; empty: this one
};

// Throws Error (usage).
InlineOutput parse_inline_output(const std::string& word);

// What the user asked of it, parsed and with defaults filled in.
struct InlineOptions {
  CoalesceOptions common;  // of these what is joined, memory, messages and --stats
  std::string interface;
  InlineOutput to;
  bool by_average = false;            // lists leave by the paper's timeout; else when no packet is there to be taken
  std::size_t ring_bytes = 32 << 20;  // of each ring
  std::optional<MetricsAddress> metrics;
};

// Until `stop` is true, or SIGHUP. Throws Error. What ends it before that, such as an interface that is removed, is
// status 1.
ExitStatus coalesce_inline(const InlineOptions& options, const ServiceSignals& signals, const std::atomic<bool>& stop);

}  // namespace warpmeter::inline command
