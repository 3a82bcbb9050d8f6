#include "command/reassemble/reassemble_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/words/human_units.h"
#include "packet/segments/segment_file.h"
#include "pipeline/metering/progress.h"
#include "pipeline/run/command_run.h"
#include "pipeline/run/metering_run.h"
#include "pipeline/run/summary_list.h"

namespace warpmeter::inline command {

void StreamTotals::add(const StreamTotals& other) {
  connections += other.connections;
  complete += other.complete;
  blocks += other.blocks;
  gaps += other.gaps;
  counters.add(other.counters);
  for (std::size_t i = 0; i < kReasons; ++i) ends[i] += other.ends[i];
}

void ChannelOutputs::take_tags(TcpConnection& connection) {
  if (!free_.empty()) {
    connection.tag = free_.back();
    free_.pop_back();
    for (std::size_t i = 0; i < outputs_.size(); ++i) tags_[connection.tag - 1 + i] = 0;
  } else {
    connection.tag = tags_.size() + 1;
    tags_.resize(tags_.size() + outputs_.size());
  }
}

template <class Call>
void ChannelOutputs::for_each(TcpConnection& connection, const Call& call) {
  if (outputs_.size() == 1) return call(*outputs_.front());
  const std::uint64_t own = connection.tag;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    std::uint64_t& tag = tags_[own - 1 + i];
    connection.tag = tag;
    call(*outputs_[i]);
    tag = connection.tag;
  }
  connection.tag = own;
}

void ChannelOutputs::opened(TcpConnection& connection) {
  if (outputs_.size() > 1) take_tags(connection);
  for_each(connection, [&](StreamConsumer& output) { output.opened(connection); });
}

void ChannelOutputs::take(TcpConnection& connection, const StreamBlock& block) {
  ++totals_.blocks;
  for_each(connection, [&](StreamConsumer& output) { output.take(connection, block); });
}

void ChannelOutputs::ended(TcpConnection& connection, const ConnectionReport& report) {
  ++totals_.connections;
  ++totals_.ends[static_cast<std::size_t>(report.end)];
  bool complete = true;
  for (const StreamDirection& direction : report.directions) {
    totals_.counters.add(direction.counters);
    totals_.gaps += direction.gaps.size();
    complete = complete && direction.complete;
  }
  totals_.complete += complete;
  for_each(connection, [&](StreamConsumer& output) { output.ended(connection, report); });
  if (outputs_.size() > 1) free_.push_back(connection.tag);
}

namespace {

std::string bytes_text(std::uint64_t bytes) { return human_bytes(static_cast<double>(bytes)); }

std::string connections_text(const StreamTotals& totals) {
  std::string text = std::to_string(totals.connections);
  const char* separator = ": ";
  for (std::size_t i = 0; i < totals.ends.size(); ++i) {
    if (totals.ends[i] == 0) continue;
    text += fmt::format("{}{} {}", separator, word_of(static_cast<StreamReason>(i)), totals.ends[i]);
    separator = ", ";
  }
  return text;
}

void add_ends(SummaryList& list, const StreamTotals& totals) {
  SummaryList ends;
  for (std::size_t i = static_cast<std::size_t>(StreamReason::fin); i < totals.ends.size(); ++i) {
    ends.add_for_programs(word_of(static_cast<StreamReason>(i)), totals.ends[i]);
  }
  list.add_for_programs("connections_by_end", ends.json());
}

void add_totals(SummaryList& list, const StreamCounters& counters) {
  SummaryList totals;
#define WARPMETER_ONE(name) totals.add_for_programs(#name, counters.name);
  WARPMETER_STREAM_COUNTERS(WARPMETER_ONE)
#undef WARPMETER_ONE
  list.add_for_programs("totals", totals.json());
}

void add_decoding(SummaryList& list, const DecodeCounters& decode) {
  list.add_for_programs("taken_out_of_tunnels", decode.decapsulated);
  list.add_for_programs("malformed_segments", decode.malformed_segments);
  list.add_for_programs("tcp_headers_cut_off", decode.uncaptured_tcp_headers);
  list.add_for_programs("tcp_headers_cut_short_on_the_wire", decode.cut_tcp_headers);
}

void add_connections(SummaryList& list, const StreamTotals& totals) {
  list.add("connections", "connections", totals.connections, connections_text(totals));
  list.add("complete", "complete", totals.complete,
           fmt::format("{} of {}, from SYN to FIN in both directions", totals.complete, totals.connections));
  add_ends(list, totals);
}

void add_bytes(SummaryList& list, const StreamTotals& totals) {
  const StreamCounters& c = totals.counters;
  const auto remark = [&list](std::uint64_t count, const char* label, const std::string& text) {
    if (count > 0) list.add_for_people(label, text);
  };
  add_totals(list, c);
  list.add("blocks", "submitted", totals.blocks,
           fmt::format("{} in {}", bytes_text(c.submitted_bytes), human_number_of(totals.blocks, "block")));
  remark(c.repeated_bytes, "repeated", bytes_text(c.repeated_bytes));
  remark(c.conflicting_bytes, "conflicting", fmt::format("{} of the repeated ones", bytes_text(c.conflicting_bytes)));
  remark(c.late_bytes, "late", fmt::format("{}, whose place had been given up", bytes_text(c.late_bytes)));
  list.add("gaps", "missing", totals.gaps,
           c.gap_bytes ? fmt::format("{} in {}", bytes_text(c.gap_bytes), human_number_of(totals.gaps, "gap")) : "");
  remark(c.cut_bytes, "cut off", fmt::format("{}, by the capture's snap length", bytes_text(c.cut_bytes)));
}

void add_early(SummaryList& list, const ReassemblyCounters& c) {
  list.add("stray_segments", "stray segments", c.stray_segments,
           c.stray_segments ? std::to_string(c.stray_segments) : "");
  list.add_for_programs("blocks_for_lack_of_memory", c.early_blocks);
  list.add_for_programs("connections_for_lack_of_memory", c.early_connections);
  if (c.early_blocks + c.early_connections == 0) return;
  list.add_for_people("for lack of memory",
                      fmt::format("{} submitted, {} ended (--memory)", human_number_of(c.early_blocks, "block"),
                                  human_number_of(c.early_connections, "connection")));
}

SummaryList list_of(const ReassembleSummary& s) {
  SummaryList list;
  add_packets_read(list, s);
  add_unreadable(list, s);
  add_left_out(list, s);
  add_ignored(list, s);
  add_unread(list, s);
  add_decoding(list, s.decode);
  add_connections(list, s.totals);
  add_bytes(list, s.totals);
  add_early(list, s.counters);
  add_skipped(list, s);
  add_damage(list, s);
  add_odd_times(list, s);
  add_duration(list, s, true, "what was read until then is in the output");
  return list;
}

CountedChannels counted(std::span<StreamConsumer* const> channels) {
  return CountedChannels(static_cast<unsigned>(channels.size()),
                         [channels](unsigned i) { return std::vector<StreamConsumer*>{channels[i]}; });
}

// Somebody may have wanted it to end while the last blocks were taken.
void finish(CommandRun& run, const CountedChannels& channels, ReassembleSummary& summary) {
  summary.totals = channels.totals();
  summary.interrupted = run.interrupted();
  run.end(summary);
  run.report(report_of(summary, "in the blocks"));
}

}  // namespace

std::string summary_json(const ReassembleSummary& s) { return stats_text(list_of(s).json()); }

RunReport report_of(const ReassembleSummary& s, std::string_view place) {
  return {summary_json(s), reading_warnings(s, place), list_of(s).text()};
}

InputFiles stream_inputs(const ReassembleCommandOptions& options) {
  const bool any_format = options.input_format == InputFormat::automatic;
  const auto is_segments = [any_format](const std::string& file) { return any_format && is_segment_file(file); };
  std::vector<std::string> outputs = {options.stats_file};
  for (const StreamPlace& place : options.outputs) outputs.push_back(place.name);
  InputFiles inputs = expand_inputs(options.inputs, options.input_format, options.recursive, outputs, is_segments);
  const auto segments = std::ranges::find_if(inputs.files, is_segments);
  if (segments != inputs.files.end()) {
    throw Error(*segments + ": segments hold no payload; streams are put together out of captures", ExitStatus::usage);
  }
  return inputs;
}

CountedChannels::CountedChannels(unsigned channels,
                                 const std::function<std::vector<StreamConsumer*>(unsigned i)>& of_channel) {
  for (unsigned i = 0; i < channels; ++i) {
    channels_.push_back(std::make_unique<ChannelOutputs>(of_channel(i)));
    consumers_.push_back(channels_.back().get());
  }
}

StreamTotals CountedChannels::totals() const {
  StreamTotals totals;
  for (const auto& channel : channels_) totals.add(channel->totals());
  return totals;
}

void reassemble_source(PacketSource& source, const ReassembleCommandOptions& options, const PacketFilter* filter,
                       std::span<StreamConsumer* const> channels, ReassembleSummary& summary) {
  const DecodeOptions decode{
      .decapsulate = options.decapsulate, .filter = filter, .tunnel_ports = options.tunnel_ports};
  StreamReassembly reassembly({decode, options.streams, options.threads}, source, channels);
  {
    const Progress progress(source, !options.quiet, options.tell_progress);
    reassembly.run();
  }
  summary.counters = reassembly.counters();
  summary.decode = reassembly.decode_counters();
  summary.bytes_read = source.bytes_read();
}

ReassembleSummary reassemble_and_sum_up(const ReassembleCommandOptions& options,
                                        std::span<StreamConsumer* const> channels,
                                        const std::atomic<bool>& interrupted) {
  ReassembleSummary summary;
  CommandRun run(options, named_inputs(options), interrupted);
  run.run([&] {
    const InputFiles inputs = stream_inputs(options);
    run.begin(inputs.files, "");
    run.open_stats();
    const CountedChannels counted_channels = counted(channels);
    const std::unique_ptr<Trace> trace = run.open(inputs.files);
    reassemble_source(*trace, options, run.filter(), counted_channels.consumers(), summary);
    run.finish_reading(inputs, *trace, summary);
    finish(run, counted_channels, summary);
  });
  return summary;
}

ReassembleSummary reassemble_from(PacketSource& source, const ReassembleCommandOptions& options,
                                  std::span<StreamConsumer* const> channels, const std::atomic<bool>& interrupted) {
  ReassembleSummary summary;
  CommandRun run(options, options.never_overwrite, interrupted);
  run.run([&] {
    run.begin({}, "");
    run.open_stats();
    const CountedChannels counted_channels = counted(channels);
    reassemble_source(source, options, run.filter(), counted_channels.consumers(), summary);
    summary.findings.unreadable = left_out_by(run.filter());
    finish(run, counted_channels, summary);
  });
  return summary;
}

}  // namespace warpmeter::inline command
