// What a run has to tell at its end: on standard error for people, as JSON for programs (--stats).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/counters.h"
#include "core/flow_sample.h"
#include "core/options.h"
#include "flow/runs/join.h"
#include "packet/nic/ring/ring_counts.h"
#include "pipeline/run/read_summary.h"
#include "pipeline/run/stream_feed_counts.h"
#include "policy/rounds/outcome.h"
#include "policy/rounds/rounds_options.h"
#include "record/collector/export_report.h"
#include "record/write/output_loss.h"
#include "warpmeter/flow_record.h"
#include "warpmeter/status.h"

namespace warpmeter::inline pipeline {

struct Summary : ReadSummary {
  std::string backend;
  std::string backend_reason;
  bool is_backend_remark = true;  // see BackendChoice
  unsigned threads = 1;
  Method method = Method::exact;
  std::uint64_t block = 0;                                  // packets in a memory block, method five-tuple
  std::uint32_t sample_one_in = 1;                          // of flows, at the end
  std::optional<std::vector<SampleChange>> sample_changes;  // the latest, if it may change
  MeterCounters meter;
  std::optional<PolicyCounters> policy;
  std::optional<std::vector<RoundsChange>> rounds_changes;  // the latest, if the bound on rounds may change
  JoinCounters join;
  std::uint64_t runs_written = 0;
  std::uint64_t rows = 0;         // Flow Records written
  std::uint64_t labels_cut = 0;   // of these, how many have not all their labels
  FlowRecord totals;              // sums of their counters
  std::vector<RingCounts> rings;  // of a live capture, as are the next
  std::vector<PointCounts> points;
  std::optional<StreamFeedCounts> streams;  // for a detector
  bool is_told = false;  // of what is damaged or unreadable, when it was met; so were these, which are not in the list:
  std::uint64_t unreadable_beyond = 0;
  std::uint64_t files = 0;  // read, of a folder that grows; of which these were left:
  std::uint64_t files_damaged = 0;
  std::uint64_t files_left = 0;                        // still being written, or not read in time
  std::uint64_t changed = 0;                           // after they were read
  std::uint64_t not_deleted = 0;                       // that --delete-after could not delete
  bool folder_is_gone = false;                         // of these three, too, lines were told when it was met
  std::vector<std::pair<std::string, double>> stages;  // seconds, over all threads
  std::optional<ExportReport> exported;                // to a collector
  std::vector<OutputLossCounts> outputs;               // of a live capture: files, and what was lost of them
  std::string no_room;                                 // why a live capture ended before its time: --tmpdir
  std::vector<std::string> left_out;                   // of a live capture: a line for each link without this filter
  std::vector<std::string> unread;                     // a line for each output that nobody read to the end
  std::vector<std::string> left_over;                  // outputs whose names lead to files of earlier runs, too

  // Flow Records did not arrive where they were to go: the status is `failed` then, also after a signal.
  bool lost_some() const;
};

// How many packets were ignored, by reason, for people.
std::string ignored_text(const DecodeCounters& decode);

// Of these, what is not IP, and tunnels that were not opened: as lines of a summary, "" if there are none. The rare
// ones as well, a line each.
std::string all_unread_text(const DecodeCounters& decode);

// What a live capture lost, and where. It is told also if that is nothing.
std::string losses_text(std::span<const RingCounts> rings, std::span<const PointCounts> points);

// What a policy did, in a line.
std::string policy_text(const PolicyCounters& counters);

// The first of what made a run fail that went on to its end; empty: nothing did.
std::string problem_of(const Summary& summary);

// `verbose`: with all that is not IP, and all tunnels that were not opened.
std::string summary_text(const Summary& summary, bool with_stages, bool verbose = false);
std::string summary_json(const Summary& summary);
// Of a run that could not be finished: failure_json() of summary_list.h, and what had been counted until then of
// packets, and of the records for a collector.
std::string failure_json(const std::string& message, const Summary& so_far);

}  // namespace warpmeter::inline pipeline
