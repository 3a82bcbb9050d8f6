#include "command/reassemble/reassemble_run.h"

#include <algorithm>

#include "command/reassemble/stream_reassembly.h"
#include "packet/segments/segment_file.h"
#include "pipeline/metering/progress.h"
#include "pipeline/run/command_run.h"
#include "pipeline/run/metering_run.h"

namespace warpmeter::inline command {
namespace {

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
    const Progress progress(source, !options.quiet);
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
