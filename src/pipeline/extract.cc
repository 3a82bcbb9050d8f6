#include "pipeline/extract.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>

#include "capture/inputs.h"
#include "capture/trace.h"
#include "decode/packet_filter.h"
#include "export/output_file.h"
#include "pipeline/metering_work.h"
#include "pipeline/ordered_export.h"
#include "pipeline/record_output.h"
#include "pipeline/stage_clock.h"
#include "pipeline/stats_file.h"
#include "pipeline/summary.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

// A collector that is gone is not waited for once the user wants to finish.
OutputOptions output_options(const ExtractOptions& options, const std::atomic<bool>& interrupted) {
  OutputOptions output = options.output;
  if (output.collector) {
    output.collector->interrupted = [&interrupted] { return interrupted.load(); };
    output.collector->warn = [](const std::string& text) { fmt::print(stderr, "warpmeter: {}\n", text); };
  }
  return output;
}

ExitStatus status_of(const Summary& s, bool interrupted) {
  if (interrupted) return ExitStatus::interrupted;
  if (s.exported && !s.exported->problem.empty()) return ExitStatus::failed;
  return s.damage.empty() && s.unreadable.empty() ? ExitStatus::ok : ExitStatus::damaged;
}

void fill_summary(Summary& s, const ExtractOptions& o, MeteringWork& work) {
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
  s.unreadable = work.trace().unreadable();
  s.stages = work.stages();
}

void report(const Summary& summary, const ExtractOptions& options, StatsFile& stats) {
  stats.write(summary_json(summary));
  for (const std::string& message : summary.unreadable) fmt::print(stderr, "warpmeter: {}\n", message);
  for (const Damage& d : summary.damage) {
    fmt::print(stderr, "warpmeter: {}: damaged at byte {}: {}; what came before is in the output\n", d.file, d.offset,
               d.reason);
  }
  if (summary.exported && !summary.exported->problem.empty()) {
    fmt::print(stderr, "warpmeter: {}\n", summary.exported->problem);
  }
  if (!options.quiet) fmt::print(stderr, "{}", summary_text(summary, options.stages));
}

ExitStatus extract(const ExtractOptions& options, const std::atomic<bool>& interrupted, StatsFile& stats) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::string> files = expand_inputs(options.inputs, options.input_format);
  stats.inputs_are_known();
  std::optional<PacketFilter> filter;
  if (!options.filter.empty()) filter.emplace(options.filter);
  const RecordLayout layout{options.key_vlan, options.biflow, not_counted_by(options.meter.method)};
  stats.open();
  RecordOutput output(output_options(options, interrupted), layout);

  const std::unique_ptr<MeteringWork> work = meter_trace(options, files, filter ? &*filter : nullptr, interrupted);

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
  fill_summary(summary, options, *work);
  summary.exported = output.export_report();
  summary.status = status_of(summary, interrupted);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report(summary, options, stats);
  return summary.status;
}

}  // namespace

ExitStatus extract(const ExtractOptions& options, const std::atomic<bool>& interrupted) {
  StatsFile stats(options.stats_file, options.inputs);
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
