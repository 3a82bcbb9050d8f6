#include "command/extract/extract.h"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/program/messages.h"
#include "pipeline/metering/metering_work.h"
#include "pipeline/run/command_run.h"
#include "pipeline/run/metering_run.h"
#include "pipeline/run/summary.h"
#include "record/write/record_output.h"

namespace warpmeter::inline command {
namespace {

void finish(const ExtractOptions& options, CommandRun& run, Summary& summary) {
  summary.interrupted = run.interrupted();
  run.end(summary);
  if (summary.lost_some()) summary.status = ExitStatus::failed;
  run.report(report_of(summary, options));
}

void extract(const ExtractOptions& given, CommandRun& run, Summary& summary) {
  // What is read, and what of it.
  const TraceInputs inputs(given, run.interrupted());
  const ExtractOptions& options = inputs.options();
  if (options.verbose && inputs.found().passed_over) {
    warn(fmt::format("files without captures passed over: {}", inputs.found().passed_over));
  }
  run.begin(inputs.files(), kOrFile);

  // Where Flow Records go.
  run.open_stats();
  look_at_tmpdir(options);
  RecordOutput output(output_options_of_run(options, run.in_use(), run.interrupted()), layout_of_run(options));

  // Frames to segments, and these to partials, on the backend that suits.
  const MeteredTrace metered = meter_trace(
      options, [&] { return inputs.open(run.filter()); }, inputs.files().size(), run.filter(), run.interrupted());

  // Every flow is in a run now, or in several parts in several runs: partials to Flow Records.
  sum_up(options, *metered.work, output, export_all(options, *metered.work, output), summary);

  // What the run says.
  add_findings(inputs.found(), metered.findings, summary);
  finish(options, run, summary);
}

// A device that fails ends the run: the source gives nothing twice.
void extract_from(std::unique_ptr<PacketSource> source, const ExtractOptions& options, CommandRun& run,
                  Summary& summary) {
  run.begin({}, "");
  run.open_stats();
  look_at_tmpdir(options);
  RecordOutput output(output_options_of_run(options, run.in_use(), run.interrupted()), layout_of_run(options));
  MeteringWork work(options, std::move(source), run.filter(), choose_backend(options, 0));
  work.run();
  sum_up(options, work, output, export_all(options, work, output), summary);
  summary.findings.unreadable = left_out_by(run.filter());
  finish(options, run, summary);
}

}  // namespace

ExitStatus extract(const ExtractOptions& options, const std::atomic<bool>& interrupted) {
  return extract_and_sum_up(options, interrupted).status;
}

Summary extract_and_sum_up(const ExtractOptions& options, const std::atomic<bool>& interrupted) {
  Summary summary;
  CommandRun run(options, named_inputs(options), interrupted, options.output.gives_up);
  run.run([&] { extract(options, run, summary); });
  return summary;
}

Summary extract_from(std::unique_ptr<PacketSource> source, const ExtractOptions& options,
                     const std::atomic<bool>& interrupted) {
  Summary summary;
  CommandRun run(options, options.never_overwrite, interrupted, options.output.gives_up);
  run.run([&] { extract_from(std::move(source), options, run, summary); });
  return summary;
}

}  // namespace warpmeter::inline command
