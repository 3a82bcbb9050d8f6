#include "command/reassemble/reassemble.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files/temp_file.h"
#include "command/reassemble/reassemble_run.h"
#include "command/reassemble/stream_output.h"
#include "command/reassemble/stream_reassembly.h"
#include "pipeline/run/command_run.h"

namespace warpmeter::inline command {
namespace {

constexpr unsigned kChannels = StreamReassembly::kChannels;

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
    channels_.emplace(kChannels, [this](unsigned i) {
      std::vector<StreamConsumer*> consumers;
      for (const auto& output : outputs_) consumers.push_back(&output->channel(i));
      return consumers;
    });
  }

  const CountedChannels& channels() const { return *channels_; }

  // All of them are written before the first gets its name, and where one cannot get it, none has one.
  void finish(const ReassembleCommandOptions& options, std::uint64_t stray_segments) {
    for (const auto& output : outputs_) output->finish(stray_segments);
    std::vector<StreamOutput*> named;
    try {
      for (StreamOutput* const output : folders_first(options)) {
        output->name();
        named.push_back(output);
      }
    } catch (...) {
      for (; !named.empty(); named.pop_back()) named.back()->take_back();
      throw;
    }
    for (StreamOutput* const output : named) output->keep();
  }

 private:
  // A file may lie in one.
  std::vector<StreamOutput*> folders_first(const ReassembleCommandOptions& options) const {
    std::vector<StreamOutput*> outputs;
    for (const bool folders : {true, false}) {
      for (std::size_t i = 0; i < outputs_.size(); ++i) {
        if ((options.outputs[i].form == StreamForm::files) == folders) outputs.push_back(outputs_[i].get());
      }
    }
    return outputs;
  }

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
  std::optional<CountedChannels> channels_;
};

// Where what waits for order is to lie, if the user has said so, so that a whole trace is not read in vain.
void look_at_tmpdir(const ReassembleCommandOptions& options) {
  const bool waits = std::ranges::any_of(options.outputs, [&options](const StreamPlace& place) {
    return place.form == StreamForm::json || (place.form == StreamForm::records && !options.unordered);
  });
  if (waits && options.is_tmpdir_chosen) const TempFile try_one(options.tmpdir);
}

ExitStatus reassemble(const ReassembleCommandOptions& options, CommandRun& run) {
  // What is read, and what of it.
  const InputFiles inputs = stream_inputs(options);
  run.begin(inputs.files, kOrFile);

  // Where the streams go.
  StreamOutputs outputs(options, run.in_use(), run.interrupted());
  run.open_stats();
  look_at_tmpdir(options);

  // Frames to streams, and these into outputs that have no name yet.
  const std::unique_ptr<Trace> trace = run.open(inputs.files);
  ReassembleSummary summary;
  reassemble_source(*trace, options, run.filter(), outputs.channels().consumers(), summary);
  run.finish_reading(inputs, *trace, summary);

  // The outputs are complete, and there.
  outputs.finish(options, summary.counters.stray_segments);

  // What the run says. While outputs were written somebody may have wanted it to end.
  summary.totals = outputs.channels().totals();
  summary.interrupted = run.interrupted();
  run.end(summary);
  run.report(report_of(summary, "in the output"));
  return summary.status;
}

}  // namespace

ExitStatus reassemble(const ReassembleCommandOptions& options, const std::atomic<bool>& interrupted) {
  ExitStatus status = ExitStatus::ok;
  CommandRun run(options, options.inputs, interrupted);
  run.run([&] { status = reassemble(options, run); });
  return status;
}

}  // namespace warpmeter::inline command
