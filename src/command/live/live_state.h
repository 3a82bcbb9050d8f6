// How far a live capture has come, at one moment, for those who watch it: metrics, the status line, SIGUSR1, the
// service manager, Options records. Figures of one moment, but each counter is read for itself.
//
// Threads: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "command/live/live_rounds.h"
#include "command/live/live_sampling.h"
#include "command/live/live_source.h"
#include "command/live/live_streams.h"
#include "command/live/live_talkers.h"
#include "command/live/policy_reload.h"
#include "command/live/record_watch.h"
#include "core/message_format.h"
#include "packet/nic/ring/ring_counts.h"
#include "pipeline/metering/metering_work.h"
#include "policy/control/policy_control.h"
#include "record/collector/export_report.h"
#include "record/write/record_output.h"

namespace warpmeter::inline command {

struct LiveState {
  std::int64_t now_ns = 0;  // since 1970 UTC
  double up_seconds = 0;    // since the capture began
  std::vector<RingCounts> rings;
  std::vector<PointCounts> points;
  std::uint64_t bytes_read = 0;
  RunningCounts metering;      // ignored: also what was filtered out before it came to a ring
  bool records_leave = false;  // while it runs; else all are exported at the end
  RecordCounts records;
  std::vector<OutputLossCounts> outputs;  // files
  std::optional<ExportState> collector;
  std::optional<StreamFeedCounts> streams;
  std::uint32_t sample_one_in = 1;  // of flows
  std::optional<PolicyCounters> policy;
  std::uint32_t most_rounds = 0;  // of a packet; 0: all
  PolicyReload::Counts policy_reloads;
  std::optional<PolicyControl::Counts> policy_changes;  // by the control socket

  std::uint64_t offered() const;  // to all rings, and lost before
  std::uint64_t lost() const;     // wherever
};

// What such a state is made of. What is referred to must outlive it.
struct LiveParts {
  LiveSource& source;
  MeteringWork& work;
  RecordWatch& records;
  const RecordOutput& output;
  bool records_leave;
  std::chrono::steady_clock::time_point start;
  const LiveStreams* streams = nullptr;  // where somebody wants them
  const LiveTalkers* talkers = nullptr;  // where they are known by their flows
  std::uint32_t sample_one_in = 1;       // of flows,
  LiveSampling* sampling = nullptr;      // or what may change that
  PolicyReload* reload = nullptr;        // of a capture with a policy
  PolicyControl* control = nullptr;      // of one with a control socket
  std::uint32_t most_rounds = 0;         // of a packet, 0: all;
  LiveRounds* rounds = nullptr;          // or what may change that

  LiveState state() const;
  // Bytes a second of the hosts that send most: by live flows, or by the records of the last so many seconds.
  std::vector<TopHost> top_talkers(std::size_t most, double seconds) const;
};

// Such a state as what its collector is told (Options Records).
ProcessStatistics statistics_of(const LiveState& state);

// As metrics (live_metrics.cc; docs/service.md has the list), in the text format of Prometheus, 0.0.4. `version`: of
// the program.
std::string live_metrics(const LiveState& state, const std::string& version);

// In words (live_text.cc): in one line, for a terminal or a service manager, what happened between two states: rates,
// losses, flows, and who sends most, in bytes a second.
std::string status_line(const LiveState& now, const LiveState& before, const std::vector<TopHost>& talkers);

// For people who ask how far it is (SIGUSR1): several lines.
std::string summary_so_far(const LiveState& state);

// At most so many columns, so that a terminal does not break the line: "..." is where it was cut.
std::string cut_to_columns(std::string line, std::size_t columns);

}  // namespace warpmeter::inline command
