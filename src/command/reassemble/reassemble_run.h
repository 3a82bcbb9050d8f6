// Streams of captures, or of another source, to consumers, and what there is to tell at the end: what the command and
// libwarpmeter have in common.
//
// Threads: one. Errors: Error, and what consumers throw.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/reassemble/channel_outputs.h"
#include "command/reassemble/reassemble.h"
#include "command/reassemble/stream_reassembly.h"
#include "packet/decode/packet_filter.h"
#include "packet/file/inputs.h"
#include "packet/file/packet_source.h"
#include "pipeline/run/command_run.h"

namespace warpmeter::inline command {

// What a run has to tell at its end: on standard error for people, as JSON for programs (--stats).
struct ReassembleSummary : ReadSummary {
  ReassemblyCounters counters;
  StreamTotals totals;
};

std::string summary_json(const ReassembleSummary& summary);

// `place`: as of reading_warnings().
RunReport report_of(const ReassembleSummary& summary, std::string_view place);

// The capture files that the options name; those of segments are refused (usage).
InputFiles stream_inputs(const ReassembleCommandOptions& options);

// Several consumers for each channel, and what is counted of what they get.
class CountedChannels {
 public:
  // `of_channel`: those of channel i, which must outlive this.
  CountedChannels(unsigned channels, const std::function<std::vector<StreamConsumer*>(unsigned i)>& of_channel);

  std::span<StreamConsumer* const> consumers() const { return consumers_; }
  StreamTotals totals() const;

 private:
  std::vector<std::unique_ptr<ChannelOutputs>> channels_;
  std::vector<StreamConsumer*> consumers_;
};

// Reads all of it; what came of it goes into the summary. `filter`: null if there is none.
void reassemble_source(PacketSource& source, const ReassembleCommandOptions& options, const PacketFilter* filter,
                       std::span<StreamConsumer* const> channels, ReassembleSummary& summary);

// For consumers in this process, the run of a library: nothing is written but --stats. The source ends when
// `interrupted` is true. Status and summary are the command's.
ReassembleSummary reassemble_and_sum_up(const ReassembleCommandOptions& options,
                                        std::span<StreamConsumer* const> channels,
                                        const std::atomic<bool>& interrupted);
ReassembleSummary reassemble_from(PacketSource& source, const ReassembleCommandOptions& options,
                                  std::span<StreamConsumer* const> channels, const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
