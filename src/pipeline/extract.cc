#include "pipeline/extract.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "capture/inputs.h"
#include "capture/trace.h"
#include "decode/packet_filter.h"
#include "export/output_file.h"
#include "export/record_writer.h"
#include "pipeline/backend.h"
#include "pipeline/human_units.h"
#include "pipeline/metering_process.h"
#include "pipeline/progress.h"
#include "pipeline/stage_clock.h"
#include "pipeline/summary.h"
#include "run/aggregate.h"
#include "run/join.h"
#include "run/output_order.h"
#include "run/run_store.h"

namespace warpmeter {
namespace {

// What of --memory finished partials may take before they go to a run file; the rest is for flow states.
constexpr std::uint64_t kRunShare = 4;
// Keeps memory flat however long the trace. Measured with 3 M flows: a tenth slower than all in memory, a third faster
// than runs of 512 MiB, which one thread sorts while the others wait.
constexpr std::uint64_t kMostRunMemory = 16 << 20;

RunStoreOptions run_store_options(const ExtractOptions& o) {
  const std::uint64_t limit = o.run_memory ? o.run_memory : std::min(o.memory / kRunShare, kMostRunMemory);
  return {o.tmpdir, arrival_order, limit};
}

MeteringOptions metering_options(const ExtractOptions& o, const PacketFilter* filter) {
  MeteringOptions m{o.meter, o.threads, o.batch, o.key_vlan, filter};
  m.meter.flow_memory = o.memory - o.memory / kRunShare;
  return m;
}

void announce(const ExtractOptions& o, const BackendChoice& backend, std::size_t files) {
  fmt::print(stderr, "backend {}: {}\n", backend.name, backend.reason);
  fmt::print(stderr, "{} threads, batches of {} packets, memory {}, run files in {}\n", o.threads, o.batch,
             human_bytes(static_cast<double>(o.memory)), o.tmpdir);
  fmt::print(stderr, "{} input {}{}\n", files, files == 1 ? "file" : "files",
             o.filter.empty() ? "" : ", filter: " + o.filter);
}

// Whole Flow Records in output order: parts merged from all runs, joined, sorted within a key, perhaps aggregated.
// `join` is told what was joined; it is complete once the records have been read.
std::unique_ptr<RunCursor> flow_records(RunStore& runs, const ExtractOptions& o, const Join*& join) {
  auto joined = std::make_unique<Join>(runs.merged(o.threads), o.meter.timeouts);
  join = joined.get();
  std::unique_ptr<RunCursor> records = std::make_unique<OutputOrder>(std::move(joined), run_store_options(o));
  if (o.aggregate) records = std::make_unique<Aggregate>(std::move(records));
  return records;
}

void merge_and_export(RunStore& runs, const ExtractOptions& o, OutputFile& output, Summary& summary) {
  const Join* join = nullptr;
  const std::unique_ptr<RunCursor> records = flow_records(runs, o, join);
  const std::unique_ptr<RecordWriter> writer = make_writer(o.format, output, o.key_vlan);
  writer->begin();
  for (; records->head(); records->advance()) {
    writer->write(*records->head());
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

void fill_summary(Summary& s, const ExtractOptions& o, const Trace& trace, const MeteringProcess& metering,
                  const RunStore& runs) {
  s.threads = o.threads;
  s.decode = metering.decode_counters();
  s.meter = metering.meter_counters();
  s.runs_written = runs.runs_written();
  s.bytes_read = trace.bytes_read();
  s.damage = trace.damage();
  s.unreadable = trace.unreadable();
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
  const BackendChoice backend = choose_backend(options.backend);
  const std::vector<std::string> files = expand_inputs(options.inputs);
  if (options.verbose) announce(options, backend, files.size());
  Trace trace(files, interrupted);
  std::optional<PacketFilter> filter;
  if (!options.filter.empty()) filter.emplace(options.filter);
  OutputFile output(options.output);
  std::unique_ptr<OutputFile> stats;
  if (!options.stats_file.empty()) stats = std::make_unique<OutputFile>(options.stats_file);
  StageClock clock;
  RunStore runs(run_store_options(options));
  MeteringProcess metering(metering_options(options, filter ? &*filter : nullptr), trace, runs, clock);

  // From here on nothing allocates for a packet; batches, tables and pools are reused.
  {
    const Progress progress(trace, !options.quiet);
    metering.run();
  }
  // Every packet of the trace has been metered.
  if (trace.nothing_readable()) throw Error(trace.unreadable().front());
  metering.drain();

  // Beyond this point every flow is in a run, or in several parts in several runs.
  Summary summary;
  {
    const StageClock::Scope scope(clock, Stage::merge_and_export);
    merge_and_export(runs, options, output, summary);
    output.commit();
  }
  // The output is complete and under its name.
  fill_summary(summary, options, trace, metering, runs);
  summary.backend = backend.name;
  summary.backend_reason = backend.reason;
  summary.status = status_of(trace, interrupted);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (int i = 0; i < kStages; ++i) summary.stage_seconds[i] = clock.seconds(i);
  report(summary, options, stats.get());
  return summary.status;
}

}  // namespace warpmeter
