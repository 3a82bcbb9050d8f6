#include "extract/extract.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "capture/inputs.h"
#include "capture/trace.h"
#include "decode/packet_filter.h"
#include "extract/metering_work.h"
#include "extract/run_end.h"
#include "extract/stats_file.h"
#include "extract/summary.h"
#include "output/record_output.h"
#include "program/files_in_use.h"
#include "program/messages.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

ExitStatus status_of(const Summary& s, bool interrupted) {
  if (interrupted) return ExitStatus::interrupted;
  if (s.exported && !s.exported->problem.empty()) return ExitStatus::failed;
  return s.damage.empty() && s.unreadable.empty() ? ExitStatus::ok : ExitStatus::damaged;
}

void tell_of_inputs(Summary& s, const InputFiles& inputs, const Trace& trace) {
  s.damage = trace.damage();
  s.unreadable = inputs.unreadable;
  for (const std::string& message : trace.unreadable()) s.unreadable.push_back(message);
  s.passed_over = inputs.passed_over;
  s.read_before = trace.files_again();
  s.folders_below = inputs.folders_below;
  s.clamped_times = trace.clamped_times();
  s.time_runs_back_count = trace.time_order().count();
  s.time_runs_back = trace.time_order().kept();
}

ExitStatus extract(const ExtractOptions& options, const std::atomic<bool>& interrupted, StatsFile& stats) {
  const auto start = std::chrono::steady_clock::now();
  const InputFiles inputs = expand_inputs(options.inputs, options.input_format, options.recursive);
  stats.inputs_are_known();
  if (options.verbose && inputs.passed_over) {
    say(fmt::format("files without captures passed over: {}\n", inputs.passed_over));
  }
  std::optional<PacketFilter> filter;
  if (!options.filter.empty()) filter.emplace(options.filter, " (nor is there a file of that name)");
  const RecordLayout layout{options.key_vlan, options.biflow, not_counted_by(options.meter.method)};
  FilesInUse in_use(inputs.files);
  if (!options.stats_file.empty()) in_use.claim(options.stats_file);
  stats.open();
  RecordOutput output(output_options_of_run(options, in_use, interrupted), layout);

  const MeteredTrace metered = meter_trace(options, inputs.files, filter ? &*filter : nullptr, interrupted);

  // Beyond this point every flow is in a run, or in several parts in several runs.
  Summary summary;
  sum_up(options, *metered.work, output, export_all(options, *metered.work, output), summary);
  tell_of_inputs(summary, inputs, *metered.trace);
  summary.status = status_of(summary, interrupted);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report(summary, options, stats, output.left_over());
  return summary.status;
}

}  // namespace

ExitStatus extract(const ExtractOptions& options, const std::atomic<bool>& interrupted) {
  return with_stats_file(options, options.inputs, interrupted,
                         [&](StatsFile& stats) { return extract(options, interrupted, stats); });
}

}  // namespace warpmeter
