// What a run of `coalesce` has to tell at its end: on standard error for people, as JSON for programs (--stats); and
// the table of --dry-run.
//
// Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "packet/inject/frame_writer.h"
#include "pipeline/run/command_run.h"
#include "stream/coalescing/coalescer.h"
#include "stream/coalescing/coalescing_packet.h"

namespace warpmeter::inline command {

// Of an inline run: packets of both directions that got no further, and those of the other one.
struct InlineCounts {
  std::uint64_t ring_full = 0, too_long = 0;  // lost before they were read, or longer than a ring's block
  WriteCounts out;                            // to OUT
  std::uint64_t returned_ring_full = 0, returned_too_long = 0;  // likewise, on their way back
  WriteCounts returned;                                         // to IN
  std::string why_ended;                                        // empty: because it was told to
};

struct CoalesceSummary : ReadSummary {
  std::array<std::uint64_t, kPassReasons> passes = {};  // packets, by why they pass
  CoalescerCounters counters;
  std::uint64_t packets_written = 0, bytes_written = 0;
  std::optional<InlineCounts> inline_counts = {};

  // One of a dry run: what comes of a threshold and a timeout.
  struct WhatIf {
    std::uint32_t threshold, timeout_intervals;
    CoalescerCounters counters;
  };
  std::vector<WhatIf> what_if;  // empty: there was an output
};

RunReport report_of(const CoalesceSummary& summary);

// Packets, by why they passed; of a repeated one only its descriptor knew.
std::array<std::uint64_t, kPassReasons> passes_of(const CoalesceSummary& summary);

// A line for each threshold and timeout.
std::string what_if_table(const CoalesceSummary& summary);

}  // namespace warpmeter::inline command
