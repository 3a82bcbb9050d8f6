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
#include "pipeline/record_output.h"
#include "pipeline/stage_clock.h"
#include "pipeline/summary.h"
#include "run/aggregate.h"
#include "run/biflows.h"
#include "run/join.h"
#include "run/output_order.h"
#include "run/run_store.h"
#include "warpmeter/biflow_key.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

// Whole Flow Records in output order: parts merged from all runs, joined, sorted within a key, perhaps aggregated, the
// two directions perhaps paired. `join` is told what was joined; it is complete once the records have been read.
std::unique_ptr<RunCursor> flow_records(RunStore& runs, const ExtractOptions& o, const Join*& join) {
  auto joined = std::make_unique<Join>(runs.merged(o.threads), o.meter.timeouts);
  join = joined.get();
  RunStoreOptions order = run_store_options(o);
  order.order = o.biflow && !o.aggregate ? biflow_output_order : output_order;
  std::unique_ptr<RunCursor> records = std::make_unique<OutputOrder>(std::move(joined), order);
  if (o.aggregate) records = std::make_unique<Aggregate>(std::move(records));
  if (o.biflow) records = std::make_unique<Biflows>(std::move(records), o.aggregate ? 0 : o.meter.timeouts.idle_ns);
  return records;
}

void merge_and_export(RunStore& runs, const ExtractOptions& o, RecordWriter& output, Summary& summary) {
  const Join* join = nullptr;
  const std::unique_ptr<RunCursor> records = flow_records(runs, o, join);
  output.begin();
  for (; records->head(); records->advance()) {
    output.write(*records->head(), records->reverse());
    add_counters(summary.totals, *records->head());
    if (records->reverse()) add_counters(summary.totals, *records->reverse());
    ++summary.rows;
  }
  output.end();
  summary.join = join->counters();
}

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

void report(const Summary& summary, const ExtractOptions& options, OutputFile* stats) {
  if (stats) {
    stats->write(summary_json(summary));
    stats->commit();
  }
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

}  // namespace

ExitStatus extract(const ExtractOptions& options, const std::atomic<bool>& interrupted) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::string> files = expand_inputs(options.inputs, options.input_format);
  std::optional<PacketFilter> filter;
  if (!options.filter.empty()) filter.emplace(options.filter);
  const RecordLayout layout{options.key_vlan, options.biflow, not_counted_by(options.meter.method)};
  RecordOutput output(output_options(options, interrupted), layout, options.threads > 1);
  std::unique_ptr<OutputFile> stats;
  if (!options.stats_file.empty()) stats = std::make_unique<OutputFile>(options.stats_file);

  const std::unique_ptr<MeteringWork> work = meter_trace(options, files, filter ? &*filter : nullptr, interrupted);

  // Beyond this point every flow is in a run, or in several parts in several runs.
  Summary summary;
  {
    const StageClock::Scope scope(work->clock(), Stage::merge_and_export);
    merge_and_export(work->runs(), options, output, summary);
  }
  // The output is complete and under its name.
  fill_summary(summary, options, *work);
  summary.exported = output.export_report();
  summary.status = status_of(summary, interrupted);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report(summary, options, stats.get());
  return summary.status;
}

}  // namespace warpmeter
