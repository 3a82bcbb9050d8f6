#include "command/reassemble/reassemble_run.h"

#include <algorithm>
#include <chrono>

#include "base/program/interrupt.h"
#include "command/reassemble/stream_reassembly.h"
#include "packet/file/trace.h"
#include "packet/segments/segment_file.h"
#include "pipeline/metering/progress.h"
#include "pipeline/run/run_end.h"
#include "pipeline/run/summary.h"
#include "warpmeter/capture_error.h"

namespace warpmeter::inline command {
namespace {

using Clock = std::chrono::steady_clock;

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

CountedChannels counted(std::span<StreamConsumer* const> channels) {
  return CountedChannels(static_cast<unsigned>(channels.size()),
                         [channels](unsigned i) { return std::vector<StreamConsumer*>{channels[i]}; });
}

void finish(const ReassembleCommandOptions& options, const CountedChannels& channels, bool interrupted,
            Clock::time_point start, StatsFile& stats, ReassembleSummary& summary) {
  summary.totals = channels.totals();
  summary.interrupted = interrupted;
  summary.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (!options.stats_file.empty()) stats.write(summary_json(summary));
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

FilesInUse files_in_use(const std::vector<std::string>& files, const ReassembleCommandOptions& options) {
  std::vector<std::string> read = files;
  read.insert(read.end(), options.also_read.begin(), options.also_read.end());
  return FilesInUse(read);
}

std::unique_ptr<PacketFilter> stream_filter(const ReassembleCommandOptions& options, const std::string& remark) {
  if (options.filter.empty()) return nullptr;
  const EndedBySignals meanwhile;
  return std::make_unique<PacketFilter>(options.filter, remark);
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

void reassemble_trace(const InputFiles& inputs, const ReassembleCommandOptions& options, const PacketFilter* filter,
                      std::span<StreamConsumer* const> channels, const std::atomic<bool>& interrupted,
                      ReassembleSummary& summary) {
  const CaptureOptions capture{
      .format = options.input_format, .resync = options.resync, .refusal = refusals_of(filter)};
  Trace trace(inputs.files, interrupted, {.capture = capture, .order = options.order});
  reassemble_source(trace, options, filter, channels, summary);
  if (trace.nothing_readable()) throw CaptureError(joined(trace.unreadable()));
  summary.findings = trace.findings();
  summary.passed_over = inputs.passed_over;
  summary.folders_below = inputs.folders_below;
  std::vector<std::string>& unreadable = summary.findings.unreadable;
  unreadable.insert(unreadable.begin(), inputs.unreadable.begin(), inputs.unreadable.end());
}

void with_stream_stats(const ReassembleCommandOptions& options, const std::vector<std::string>& inputs,
                       const std::atomic<bool>& interrupted, const std::function<void(StatsFile&)>& run) {
  StatsFile stats(options.stats_file, inputs, interrupted);
  try {
    run(stats);
  } catch (const std::exception& error) {
    stats.write_failure(error);
    throw;
  }
}

ReassembleSummary reassemble_and_sum_up(const ReassembleCommandOptions& options,
                                        std::span<StreamConsumer* const> channels,
                                        const std::atomic<bool>& interrupted) {
  ReassembleSummary summary;
  std::vector<std::string> read = options.inputs;
  read.insert(read.end(), options.also_read.begin(), options.also_read.end());
  with_stream_stats(options, read, interrupted, [&](StatsFile& stats) {
    const auto start = Clock::now();
    const InputFiles inputs = stream_inputs(options);
    stats.inputs_are_known();
    const std::unique_ptr<PacketFilter> filter = stream_filter(options, "");
    FilesInUse in_use = files_in_use(inputs.files, options);
    if (!options.stats_file.empty()) in_use.claim(options.stats_file);
    stats.open();
    const CountedChannels counted_channels = counted(channels);
    reassemble_trace(inputs, options, filter.get(), counted_channels.consumers(), interrupted, summary);
    finish(options, counted_channels, interrupted, start, stats, summary);
  });
  return summary;
}

ReassembleSummary reassemble_from(PacketSource& source, const ReassembleCommandOptions& options,
                                  std::span<StreamConsumer* const> channels, const std::atomic<bool>& interrupted) {
  ReassembleSummary summary;
  with_stream_stats(options, options.also_read, interrupted, [&](StatsFile& stats) {
    const auto start = Clock::now();
    stats.inputs_are_known();
    const std::unique_ptr<PacketFilter> filter = stream_filter(options, "");
    FilesInUse in_use = files_in_use({}, options);
    if (!options.stats_file.empty()) in_use.claim(options.stats_file);
    stats.open();
    const CountedChannels counted_channels = counted(channels);
    reassemble_source(source, options, filter.get(), counted_channels.consumers(), summary);
    summary.findings.unreadable = left_out_by(filter.get());
    finish(options, counted_channels, interrupted, start, stats, summary);
  });
  return summary;
}

}  // namespace warpmeter::inline command
