// What the user asked of `warpmeter coalesce -i IN --to OUT`, parsed and with defaults filled in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/metrics/metrics_address.h"
#include "command/coalesce/coalesce.h"

namespace warpmeter::inline command {

// tap:NAME[@NETNS], or if:NAME.
struct InlineOutput {
  bool is_tap = true;
  std::string name;
  std::string space = {};  // network namespace; empty: this one
};

// Throws Error (usage).
InlineOutput parse_inline_output(const std::string& word);

struct InlineOptions {
  CoalesceOptions common;  // of these what is joined, memory, messages and --stats
  std::string interface;
  InlineOutput to;
  bool by_average = false;            // lists leave by the paper's timeout; else when no packet is there to be taken
  std::size_t ring_bytes = 32 << 20;  // of each ring
  std::optional<MetricsAddress> metrics;
};

}  // namespace warpmeter::inline command
