// `warpmeter packets INPUT... -o OUT`: the packets of chosen flows, of chosen verdicts, or all, as a capture or as a
// table.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "analysis/query/filter.h"
#include "command/packets/packet_table.h"
#include "packet/write/packet_records.h"
#include "pipeline/metering/extract_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// What the user asked of it, parsed and with defaults filled in.
struct PacketsOptions {
  ExtractOptions metering;            // the inputs, and what a flow is; its outputs are not used
  std::optional<Filter> flows;        // nothing: all flows
  std::vector<std::string> of_files;  // Flow Records that flows are taken from; empty: they are metered
  std::string output;                 // "-": standard output
  CaptureForm form = CaptureForm::pcapng;
  std::optional<TableForm> table;  // nothing: a capture
  VerdictSet verdicts = VerdictSet::all();

  bool takes_all() const { return !flows && of_files.empty(); }
  // Packets are metered on their way to the output.
  bool is_judged() const { return table || !verdicts.has_all(); }
};

// Captures are read twice, where their flows are metered first. Once `interrupted` is true, reading ends, and the
// output holds what was read; before the second time there is none. Throws Error; then there is none either, but for
// what has gone into a pipe.
ExitStatus select_packets(const PacketsOptions& options, const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
