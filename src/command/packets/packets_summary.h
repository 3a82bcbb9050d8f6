// What a run of `packets` came to, and what it tells of it.
#pragma once

#include <cstdint>
#include <optional>

#include "command/packets/flow_selection.h"
#include "command/packets/judged_batch.h"
#include "pipeline/run/command_run.h"
#include "pipeline/run/read_summary.h"
#include "record/read/flow_files.h"

namespace warpmeter::inline command {

struct PacketsSummary : ReadSummary {
  std::optional<SelectedCounts> flows;  // nothing: all packets were wanted
  FilesRead flow_files;                 // where flows came from files
  std::uint64_t packets_written = 0, bytes_written = 0;
  std::uint64_t changed_times = 0;           // packets that the capture could not tell the time of
  std::optional<std::uint64_t> features_of;  // rows of flows that were written, in place of packets
  std::uint64_t evicted_flows = 0;           // for want of memory: their verdicts and counters are incomplete
  std::optional<VerdictCounts> by_verdict;   // of the packets that are wanted; nothing: nobody asked
};

RunReport report_of(const PacketsSummary& summary);

}  // namespace warpmeter::inline command
