#include "extract/extract.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capture/inputs.h"
#include "capture/trace.h"
#include "decode/packet_filter.h"
#include "export/output_file.h"
#include "extract/metering_work.h"
#include "extract/ordered_export.h"
#include "extract/stage_clock.h"
#include "extract/stats_file.h"
#include "extract/summary.h"
#include "output/record_output.h"
#include "program/files_in_use.h"
#include "program/messages.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

// Once the user wants to finish, nobody waits for a collector that is gone, nor for the reader of a pipe.
OutputOptions output_options(const ExtractOptions& options, FilesInUse& in_use, const std::atomic<bool>& interrupted) {
  OutputOptions output = options.output;
  const auto complete = [&](OutputOptions& one) {
    one.in_use = &in_use;
    one.interrupted = &interrupted;
    one.tmpdir = options.tmpdir;
    one.waiting_memory = run_store_options(options).memory_limit;
  };
  complete(output);
  std::ranges::for_each(output.also, complete);
  if (output.collector) {
    output.collector->interrupted = [&interrupted] { return interrupted.load(); };
    output.collector->warn = [](const std::string& text) { warn(text); };
  }
  return output;
}

ExitStatus status_of(const Summary& s, bool interrupted) {
  if (interrupted) return ExitStatus::interrupted;
  if (s.exported && !s.exported->problem.empty()) return ExitStatus::failed;
  return s.damage.empty() && s.unreadable.empty() ? ExitStatus::ok : ExitStatus::damaged;
}

void fill_summary(Summary& s, const ExtractOptions& o, const InputFiles& inputs, MeteringWork& work) {
  s.backend = work.backend().name;
  s.backend_reason = work.backend().reason;
  s.threads = o.threads;
  s.method = o.meter.method;
  s.block = work.metering().block();
  s.decode = work.metering().decode_counters();
  s.meter = work.metering().meter_counters();
  s.runs_written = work.runs().runs_written();
  s.bytes_read = work.trace().bytes_read();
  s.damage = work.trace().damage();
  s.unreadable = inputs.unreadable;
  for (const std::string& message : work.trace().unreadable()) s.unreadable.push_back(message);
  s.passed_over = inputs.passed_over;
  s.read_before = work.trace().files_again();
  s.folders_below = inputs.folders_below;
  s.clamped_times = work.trace().clamped_times();
  s.time_runs_back_count = work.trace().time_order().count();
  s.time_runs_back = work.trace().time_order().kept();
  s.stages = work.stages();
}

void report(const Summary& summary, const ExtractOptions& options, StatsFile& stats,
            const std::vector<std::string>& left_over) {
  stats.write(summary_json(summary));
  for (const std::string& message : summary.unreadable) warn(message);
  for (const Damage& d : summary.damage) {
    warn(fmt::format("{}: damaged at byte {}: {}; what came before is in the output", d.file, d.offset, d.reason));
  }
  if (summary.exported && !summary.exported->problem.empty()) warn(summary.exported->problem);
  for (const std::string& line : left_over) warn(line);
  if (!options.quiet) say(summary_text(summary, options.stages));
}

ExitStatus extract(const ExtractOptions& options, const std::atomic<bool>& interrupted, StatsFile& stats) {
  const auto start = std::chrono::steady_clock::now();
  const InputFiles inputs = expand_inputs(options.inputs, options.input_format, options.recursive);
  stats.inputs_are_known();
  if (options.verbose && inputs.passed_over) {
    say(fmt::format("files without captures passed over: {}\n", inputs.passed_over));
  }
  std::optional<PacketFilter> filter;
  if (!options.filter.empty()) filter.emplace(options.filter);
  const RecordLayout layout{options.key_vlan, options.biflow, not_counted_by(options.meter.method)};
  FilesInUse in_use(inputs.files);
  if (!options.stats_file.empty()) in_use.claim(options.stats_file);
  stats.open();
  RecordOutput output(output_options(options, in_use, interrupted), layout);

  const std::unique_ptr<MeteringWork> work =
      meter_trace(options, inputs.files, filter ? &*filter : nullptr, interrupted);

  // Beyond this point every flow is in a run, or in several parts in several runs.
  Summary summary;
  {
    const StageClock::Scope scope(work->clock(), Stage::merge_and_export);
    const ExportedRecords exported = export_in_order(work->runs(), options, output);
    summary.rows = exported.rows;
    summary.totals = exported.totals;
    summary.join = exported.join;
  }
  // The output is complete and under its name.
  fill_summary(summary, options, inputs, *work);
  summary.exported = output.export_report();
  summary.status = status_of(summary, interrupted);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report(summary, options, stats, output.left_over());
  return summary.status;
}

}  // namespace

ExitStatus extract(const ExtractOptions& options, const std::atomic<bool>& interrupted) {
  StatsFile stats(options.stats_file, options.inputs, interrupted);
  try {
    return extract(options, interrupted, stats);
  } catch (const Error& error) {
    if (error.status() == ExitStatus::failed) stats.write_failure(error.what());
    throw;
  } catch (const std::bad_alloc&) {
    stats.write_failure("out of memory");
    throw;
  } catch (const std::exception& error) {
    stats.write_failure(error.what());
    throw;
  }
}

}  // namespace warpmeter
