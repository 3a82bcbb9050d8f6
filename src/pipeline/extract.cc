#include "pipeline/extract.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>

#include "capture/inputs.h"
#include "capture/trace.h"
#include "decode/packet_filter.h"
#include "export/output_file.h"
#include "export/record_writer.h"
#include "parquet/parquet_files.h"
#include "pipeline/metering_work.h"
#include "pipeline/stage_clock.h"
#include "pipeline/summary.h"
#include "run/aggregate.h"
#include "run/join.h"
#include "run/output_order.h"
#include "run/run_store.h"
#include "warpmeter/columns.h"

namespace warpmeter {
namespace {

// Whole Flow Records in output order: parts merged from all runs, joined, sorted within a key, perhaps aggregated.
// `join` is told what was joined; it is complete once the records have been read.
std::unique_ptr<RunCursor> flow_records(RunStore& runs, const ExtractOptions& o, const Join*& join) {
  auto joined = std::make_unique<Join>(runs.merged(o.threads), o.meter.timeouts);
  join = joined.get();
  std::unique_ptr<RunCursor> records = std::make_unique<OutputOrder>(std::move(joined), run_store_options(o));
  if (o.aggregate) records = std::make_unique<Aggregate>(std::move(records));
  return records;
}

std::unique_ptr<RecordWriter> make_writer(Format format, OutputFile& output, const RecordLayout& layout) {
  if (format == Format::parquet) return make_parquet_writer(output, layout);
  return make_text_writer(format, output, layout);
}

void merge_and_export(RunStore& runs, const ExtractOptions& o, OutputFile& output, Summary& summary) {
  const Join* join = nullptr;
  const std::unique_ptr<RunCursor> records = flow_records(runs, o, join);
  const RecordLayout layout{.vlan = o.key_vlan, .absent = not_counted_by(o.meter.method)};
  const std::unique_ptr<RecordWriter> writer = make_writer(o.format, output, layout);
  writer->begin();
  for (; records->head(); records->advance()) {
    writer->write(*records->head(), nullptr);
    add_counters(summary.totals, *records->head());
    ++summary.rows;
  }
  writer->end();
  summary.join = join->counters();
}

ExitStatus status_of(const Trace& trace, bool interrupted) {
  if (interrupted) return ExitStatus::interrupted;
  return trace.damage().empty() && trace.unreadable().empty() ? ExitStatus::ok : ExitStatus::damaged;
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
  if (!options.quiet) fmt::print(stderr, "{}", summary_text(summary, options.stages));
}

}  // namespace

ExitStatus extract(const ExtractOptions& options, const std::atomic<bool>& interrupted) {
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::string> files = expand_inputs(options.inputs);
  if (options.format == Format::parquet) require_parquet();
  std::optional<PacketFilter> filter;
  if (!options.filter.empty()) filter.emplace(options.filter);
  OutputFile output(options.output);
  std::unique_ptr<OutputFile> stats;
  if (!options.stats_file.empty()) stats = std::make_unique<OutputFile>(options.stats_file);

  const std::unique_ptr<MeteringWork> work = meter_trace(options, files, filter ? &*filter : nullptr, interrupted);

  // Beyond this point every flow is in a run, or in several parts in several runs.
  Summary summary;
  {
    const StageClock::Scope scope(work->clock(), Stage::merge_and_export);
    merge_and_export(work->runs(), options, output, summary);
    output.commit();
  }
  // The output is complete and under its name.
  fill_summary(summary, options, *work);
  summary.status = status_of(work->trace(), interrupted);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report(summary, options, stats.get());
  return summary.status;
}

}  // namespace warpmeter
