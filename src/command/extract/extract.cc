#include "command/extract/extract.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/program/files_in_use.h"
#include "base/program/messages.h"
#include "pipeline/metering/metering_work.h"
#include "pipeline/run/run_end.h"
#include "pipeline/run/stats_file.h"
#include "pipeline/run/summary.h"
#include "pipeline/run/trace_inputs.h"
#include "record/write/record_output.h"

namespace warpmeter::inline command {
namespace {

using Clock = std::chrono::steady_clock;

ExitStatus status_of(const Summary& s, bool interrupted) {
  if (s.lost_some()) return ExitStatus::failed;
  if (interrupted) return ExitStatus::interrupted;
  return s.damage.empty() && s.unreadable.empty() ? ExitStatus::ok : ExitStatus::damaged;
}

std::vector<std::string> with_also_read(std::vector<std::string> read, const ExtractOptions& options) {
  read.insert(read.end(), options.also_read.begin(), options.also_read.end());
  return read;
}

void tell_of_inputs(Summary& s, const InputFiles& inputs, const TraceFindings& found) {
  s.damage = found.damage;
  s.skips = found.skips;
  s.odd_fractions = found.odd_fractions;
  s.unreadable = inputs.unreadable;
  for (const std::string& message : found.unreadable) s.unreadable.push_back(message);
  s.passed_over = inputs.passed_over;
  s.read_before = found.files_again;
  s.folders_below = inputs.folders_below;
  s.clamped_times = found.clamped_times;
  s.time_runs_back_count = found.time_runs_back_count;
  s.time_runs_back = found.time_runs_back;
}

void finish(Summary& summary, const ExtractOptions& options, bool interrupted, Clock::time_point start,
            StatsFile& stats) {
  summary.interrupted = interrupted;
  summary.status = status_of(summary, interrupted);
  summary.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  report(summary, options, stats);
}

void extract(const ExtractOptions& given, const std::atomic<bool>& interrupted, StatsFile& stats, Summary& summary) {
  const auto start = Clock::now();
  const TraceInputs inputs(given, interrupted);
  const ExtractOptions& options = inputs.options();
  stats.inputs_are_known();
  if (options.verbose && inputs.found().passed_over) {
    warn(fmt::format("files without captures passed over: {}", inputs.found().passed_over));
  }
  const std::unique_ptr<PacketFilter> filter = compiled_filter(options, " (nor is there a file of that name)");
  FilesInUse in_use(with_also_read(inputs.files(), options));
  if (!options.stats_file.empty()) in_use.claim(options.stats_file);
  stats.open();
  RecordOutput output(output_options_of_run(options, in_use, interrupted), layout_of_run(options));

  const MeteredTrace metered = meter_trace(
      options, [&] { return inputs.open(filter.get()); }, inputs.files().size(), filter.get(), interrupted);

  // Beyond this point every flow is in a run, or in several parts in several runs.
  sum_up(options, *metered.work, output, export_all(options, *metered.work, output), summary);
  tell_of_inputs(summary, inputs.found(), metered.findings);
  finish(summary, options, interrupted, start, stats);
}

// A device that fails ends the run: the source gives nothing twice.
void extract_from(std::unique_ptr<PacketSource> source, const ExtractOptions& options,
                  const std::atomic<bool>& interrupted, StatsFile& stats, Summary& summary) {
  const auto start = Clock::now();
  stats.inputs_are_known();
  const std::unique_ptr<PacketFilter> filter = compiled_filter(options, "");
  FilesInUse in_use(options.also_read);
  if (!options.stats_file.empty()) in_use.claim(options.stats_file);
  stats.open();
  RecordOutput output(output_options_of_run(options, in_use, interrupted), layout_of_run(options));
  try {
    MeteringWork work(options, std::move(source), filter.get(), choose_backend(options, 0));
    work.run();
    sum_up(options, work, output, export_all(options, work, output), summary);
    summary.unreadable = left_out_by(filter.get());
  } catch (const DeviceError& error) {
    throw Error(fmt::format("GPU: {}", error.what()));
  }
  finish(summary, options, interrupted, start, stats);
}

}  // namespace

ExitStatus extract(const ExtractOptions& options, const std::atomic<bool>& interrupted) {
  return extract_and_sum_up(options, interrupted).status;
}

Summary extract_and_sum_up(const ExtractOptions& options, const std::atomic<bool>& interrupted) {
  Summary summary;
  with_stats_file(options, with_also_read(options.inputs, options), interrupted,
                  [&](StatsFile& stats) { extract(options, interrupted, stats, summary); });
  return summary;
}

Summary extract_from(std::unique_ptr<PacketSource> source, const ExtractOptions& options,
                     const std::atomic<bool>& interrupted) {
  Summary summary;
  with_stats_file(options, options.also_read, interrupted,
                  [&](StatsFile& stats) { extract_from(std::move(source), options, interrupted, stats, summary); });
  return summary;
}

}  // namespace warpmeter::inline command
