// What a run of `coalesce` has to tell at its end: on standard error for people, as JSON for programs (--stats); and
// the table of --dry-run.
//
// Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/run/command_run.h"
#include "stream/coalescing/coalescer.h"
#include "stream/coalescing/coalescing_packet.h"

namespace warpmeter::inline command {

struct CoalesceSummary : ReadSummary {
  std::array<std::uint64_t, kPassReasons> passes = {};  // packets, by why they pass
  CoalescerCounters counters;
  std::uint64_t packets_written = 0, bytes_written = 0;

  // One of a dry run: what comes of a threshold.
  struct WhatIf {
    std::uint32_t threshold;
    CoalescerCounters counters;
  };
  std::vector<WhatIf> what_if;  // empty: there was an output
};

RunReport report_of(const CoalesceSummary& summary);

// A line for each threshold.
std::string what_if_table(const CoalesceSummary& summary);

}  // namespace warpmeter::inline command
