// `warpmeter packets INPUT... -o OUT`: the packets of chosen flows, of chosen verdicts, or all, as a capture, as a
// table, or as rows that a program takes.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/query/filter.h"
#include "command/packets/flow_features.h"
#include "command/packets/packet_table.h"
#include "core/record_reader.h"
#include "packet/write/packet_records.h"
#include "pipeline/metering/extract_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// What the user asked of it, parsed and with defaults filled in.
struct PacketsOptions {
  ExtractOptions metering;            // the inputs, and what a flow is; its outputs are not used
  std::optional<Filter> flows;        // nothing: all flows
  std::vector<std::string> of_files;  // Flow Records that flows are taken from; empty: they are metered
  bool folders_below = false;         // of these files
  // Flow Records of a program, in place of files; their name is for messages.
  std::function<std::unique_ptr<RecordReader>()> open_flows;
  std::string flows_name;
  std::string output;  // "-": standard output; empty: a program takes rows, and that is all
  CaptureForm form = CaptureForm::pcapng;
  bool headers_only = false;                   // of packets in a capture
  std::optional<TableForm> table;              // nothing: a capture
  std::optional<RowsTaker> taker;              // of rows, beside the output
  std::function<void()> check_wanted = [] {};  // throws, where nobody wants the output any more
  VerdictSet verdicts = VerdictSet::all();
  std::optional<FeatureOptions> features;  // rows are flows, in place of packets

  bool is_of_files() const { return !of_files.empty() || open_flows; }
  bool takes_all() const { return !flows && !is_of_files(); }
  // Captures are read twice, the first time for their flows.
  bool is_metered_first() const { return features || (flows && !is_of_files()); }
  bool has_capture() const { return !output.empty() && !table; }
  // Packets are metered on their way to the output.
  bool is_judged() const { return table || taker || !verdicts.has_all(); }
};

// Captures are read twice, where their flows are metered first. Once `interrupted` is true, reading ends, and the
// output holds what was read; before the second time there is none. Throws Error; then there is none either, but for
// what has gone into a pipe.
ExitStatus select_packets(const PacketsOptions& options, const std::atomic<bool>& interrupted);

// The same, for callers that read the summary. Warnings go where options.metering.warn says.
struct PacketsEnd {
  ExitStatus status = ExitStatus::ok;
  std::string summary;  // JSON, as --stats has it
};
PacketsEnd select_and_sum_up(const PacketsOptions& options, const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
