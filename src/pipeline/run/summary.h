// What a run has to tell at its end: on standard error for people, as JSON for programs (--stats).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/words/human_units.h"
#include "core/counters.h"
#include "core/flow_sample.h"
#include "core/options.h"
#include "flow/runs/join.h"
#include "packet/nic/ring/ring_counts.h"
#include "pipeline/run/read_summary.h"
#include "policy/rounds/outcome.h"
#include "policy/rounds/rounds_options.h"
#include "record/collector/export_report.h"
#include "record/write/kept_file.h"
#include "warpmeter/flow_record.h"
#include "warpmeter/status.h"

namespace warpmeter::inline pipeline {

// What became of the TCP streams of a live capture that a detector gets: at one moment, or at the end.
struct StreamFeedCounts {
  std::uint64_t connections = 0;                        // of TCP, that began
  std::uint64_t ended = 0;                              // of these
  std::uint64_t blocks = 0, bytes = 0;                  // all; bytes that TCP carried. Of these:
  std::uint64_t dropped_blocks = 0, dropped_bytes = 0;  // there was no room, since the detector was too slow
  std::uint64_t unread_blocks = 0,
                unread_bytes = 0;    // there was no detector, or it went, or was given up, before it had them
  std::uint64_t early_blocks = 0;    // submitted for want of memory
  std::uint64_t dropped_ends = 0;    // of connections, which a detector that knew them was not told
  std::uint64_t stray_segments = 0;  // at the end
  std::uint64_t lost_segments = 0;   // between two rings: missing in their streams
  std::uint64_t readers = 0;         // connections of detectors, one after the other
  std::uint64_t queued_bytes = 0;    // of records, that wait just now
  bool connected = false;
};

// For people: "120 connections, 980 blocks (14 MB)", and what the detector did not get of them.
inline std::string streams_text(const StreamFeedCounts& counts) {
  const auto blocks_text = [](std::uint64_t blocks, std::uint64_t bytes) {
    return human_number_of(blocks, "block") + " (" + human_bytes(static_cast<double>(bytes)) + ")";
  };
  std::string text = std::to_string(counts.connections) + " connections, " + blocks_text(counts.blocks, counts.bytes);
  const auto remark = [&](std::uint64_t blocks, std::uint64_t bytes, const char* why) {
    if (blocks) text += "; " + blocks_text(blocks, bytes) + " " + why;
  };
  remark(counts.dropped_blocks, counts.dropped_bytes, "dropped, since the detector was too slow");
  remark(counts.unread_blocks, counts.unread_bytes, "that no detector took");
  if (counts.early_blocks) text += "; " + std::to_string(counts.early_blocks) + " early, for want of memory";
  if (counts.lost_segments) text += "; " + std::to_string(counts.lost_segments) + " segments lost between rings";
  return text;
}

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
