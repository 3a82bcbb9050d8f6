// Streams of captures, or of another source, to consumers, and what there is to tell at the end: what the command and
// libwarpmeter have in common.
//
// Threads: one. Errors: Error, and what consumers throw.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "command/reassemble/reassemble.h"
#include "command/reassemble/stream_reassembly.h"
#include "packet/decode/packet_filter.h"
#include "packet/file/inputs.h"
#include "packet/file/packet_source.h"
#include "pipeline/run/command_run.h"
#include "warpmeter/tcp_stream.h"

namespace warpmeter::inline command {

// Of connections that have ended.
struct StreamTotals {
  static constexpr std::size_t kReasons = 8;

  std::uint64_t connections = 0;
  std::uint64_t complete = 0;  // in both directions
  std::uint64_t blocks = 0;    // of these and of others
  std::uint64_t gaps = 0;
  StreamCounters counters;                        // of both directions
  std::array<std::uint64_t, kReasons> ends = {};  // connections, by StreamReason

  void add(const StreamTotals& other);
};

// What a channel's connections go through on their way to the outputs: they are counted for the summary, and given to
// each output. A connection has one tag, each output one of its own for it.
//
// Threads: as its consumers.
class ChannelOutputs final : public StreamConsumer {
 public:
  // Who must outlive it.
  explicit ChannelOutputs(std::vector<StreamConsumer*> outputs) : outputs_(std::move(outputs)) {}

  void opened(TcpConnection& connection) override;
  void take(TcpConnection& connection, const StreamBlock& block) override;
  void ended(TcpConnection& connection, const ConnectionReport& report) override;

  const StreamTotals& totals() const { return totals_; }

 private:
  void take_tags(TcpConnection& connection);
  template <class Call>
  void for_each(TcpConnection& connection, const Call& call);

  const std::vector<StreamConsumer*> outputs_;
  std::vector<std::uint64_t> tags_;  // of several outputs: of each connection one for each of them
  std::vector<std::uint64_t> free_;  // a connection's own tags: where its others are, and 1
  StreamTotals totals_;
};

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
