#include "reassemble/reassemble.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "capture/inputs.h"
#include "capture/trace.h"
#include "decode/packet_filter.h"
#include "extract/stats_file.h"
#include "extract/summary.h"
#include "program/files_in_use.h"
#include "program/interrupt.h"
#include "program/progress.h"
#include "reassemble/channel_outputs.h"
#include "reassemble/json_streams.h"
#include "reassemble/reassemble_summary.h"
#include "reassemble/record_streams.h"
#include "reassemble/stream_files.h"
#include "reassemble/stream_reassembly.h"
#include "segments/segment_file.h"
#include "warpmeter/capture_error.h"

namespace warpmeter {
namespace {

using Clock = std::chrono::steady_clock;
constexpr unsigned kChannels = StreamReassembly::kChannels;

std::unique_ptr<PacketFilter> compiled(const std::string& filter) {
  if (filter.empty()) return nullptr;
  const EndedBySignals meanwhile;
  return std::make_unique<PacketFilter>(filter, " (nor is there a file of that name)");
}

InputFiles inputs_of(const ReassembleCommandOptions& options) {
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

// The outputs, and what goes to all of them.
class StreamOutputs {
 public:
  // Claims and opens each. Throws Error.
  StreamOutputs(const ReassembleCommandOptions& options, FilesInUse& in_use, const std::atomic<bool>& interrupted) {
    for (const StreamPlace& place : options.outputs) {
      if (place.form != StreamForm::files) in_use.claim(place.name);
      outputs_.push_back(made(place, options, interrupted));
      if (place.form != StreamForm::files) continue;
      const OutputFolder& folder = static_cast<StreamFiles&>(*outputs_.back()).folder();
      if (!folder.was_there()) in_use.claim(folder.name());
    }
    for (unsigned i = 0; i < kChannels; ++i) {
      std::vector<StreamConsumer*> consumers;
      for (const auto& output : outputs_) consumers.push_back(&output->channel(i));
      channels_.push_back(std::make_unique<ChannelOutputs>(std::move(consumers)));
      consumers_.push_back(channels_.back().get());
    }
  }

  std::span<StreamConsumer* const> channels() const { return consumers_; }

  StreamTotals totals() const {
    StreamTotals totals;
    for (const auto& channel : channels_) totals.add(channel->totals());
    return totals;
  }

  // All of them are written before the first gets its name. Folders first: a file may lie in one.
  void finish(const ReassembleCommandOptions& options, std::uint64_t stray_segments) {
    for (const auto& output : outputs_) output->finish(stray_segments);
    for (const bool folders : {true, false}) {
      for (std::size_t i = 0; i < outputs_.size(); ++i) {
        if ((options.outputs[i].form == StreamForm::files) == folders) outputs_[i]->commit();
      }
    }
  }

 private:
  static std::unique_ptr<StreamOutput> made(const StreamPlace& place, const ReassembleCommandOptions& o,
                                            const std::atomic<bool>& interrupted) {
    switch (place.form) {
      case StreamForm::json:
        return std::make_unique<JsonStreams>(place.name, JsonStreamsOptions{kChannels, o.payload, o.threads, o.tmpdir},
                                             interrupted);
      case StreamForm::records:
        return std::make_unique<RecordStreams>(
            place.name, RecordStreamsOptions{kChannels, o.unordered, o.threads, o.tmpdir}, interrupted);
      case StreamForm::files: break;
    }
    return std::make_unique<StreamFiles>(place.name,
                                         StreamFilesOptions{kChannels, o.files, o.names, most_open_streams()});
  }

  std::vector<std::unique_ptr<StreamOutput>> outputs_;  // as in the options
  std::vector<std::unique_ptr<ChannelOutputs>> channels_;
  std::vector<StreamConsumer*> consumers_;
};

void run(const ReassembleCommandOptions& options, const std::atomic<bool>& interrupted, StatsFile& stats,
         ReassembleSummary& summary) {
  const auto start = Clock::now();
  const InputFiles inputs = inputs_of(options);
  stats.inputs_are_known();
  const std::unique_ptr<PacketFilter> filter = compiled(options.filter);
  FilesInUse in_use(inputs.files);
  StreamOutputs outputs(options, in_use, interrupted);
  if (!options.stats_file.empty()) in_use.claim(options.stats_file);
  stats.open();
  Trace trace(inputs.files, interrupted, {.capture = {.format = options.input_format}, .order = options.order});

  const DecodeOptions decode{.decapsulate = options.decapsulate, .filter = filter.get()};
  StreamReassembly reassembly({decode, options.streams, options.threads}, trace, outputs.channels());
  {
    const Progress progress(trace, !options.quiet);
    reassembly.run();
  }
  if (trace.nothing_readable()) throw CaptureError(joined(trace.unreadable()));
  summary.counters = reassembly.counters();
  summary.decode = reassembly.decode_counters();
  outputs.finish(options, summary.counters.stray_segments);

  summary.totals = outputs.totals();
  summary.findings = trace.findings();
  std::vector<std::string>& unreadable = summary.findings.unreadable;
  unreadable.insert(unreadable.begin(), inputs.unreadable.begin(), inputs.unreadable.end());
  summary.bytes_read = trace.bytes_read();
  summary.interrupted = interrupted;
  summary.seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

ExitStatus reassemble(const ReassembleCommandOptions& options, const std::atomic<bool>& interrupted) {
  StatsFile stats(options.stats_file, options.inputs, interrupted);
  ReassembleSummary summary;
  try {
    run(options, interrupted, stats, summary);
  } catch (const Error& error) {
    if (error.status() == ExitStatus::failed) stats.write_failure(error.what(), failure_json(error.what()));
    throw;
  } catch (const std::exception& error) {
    stats.write_failure(error.what(), failure_json(error.what()));
    throw;
  }
  return report(summary, options, stats);
}

}  // namespace warpmeter
