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
// Measured with 3 M flows: runs this small sort in the cache and are written faster than larger ones are sorted.
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

void write_records(RunCursor& records, RecordWriter& writer, Summary& summary) {
  writer.begin();
  for (; records.head(); records.advance()) {
    writer.write(*records.head());
    add_counters(summary.totals, *records.head());
    ++summary.rows;
  }
  writer.end();
}

ExitStatus status_of(const Trace& trace, bool interrupted) {
  if (interrupted) return ExitStatus::interrupted;
  return trace.damage().empty() && trace.unreadable().empty() ? ExitStatus::ok : ExitStatus::damaged;
}

void report(const Trace& trace, const Summary& summary, const ExtractOptions& options) {
  for (const std::string& message : trace.unreadable()) fmt::print(stderr, "warpmeter: {}\n", message);
  for (const Damage& d : trace.damage()) {
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
    auto joined = std::make_unique<Join>(runs.merged(options.threads), options.meter.timeouts);
    const Join& join = *joined;
    std::unique_ptr<RunCursor> records = std::make_unique<OutputOrder>(std::move(joined), run_store_options(options));
    if (options.aggregate) records = std::make_unique<Aggregate>(std::move(records));
    write_records(*records, *make_writer(options.format, output, options.key_vlan), summary);
    summary.join = join.counters();
  }
  output.commit();

  // The output is complete and under its name.
  summary.backend = backend.name;
  summary.backend_reason = backend.reason;
  summary.threads = options.threads;
  summary.decode = metering.decode_counters();
  summary.meter = metering.meter_counters();
  summary.runs_written = runs.runs_written();
  summary.bytes_read = trace.bytes_read();
  summary.damage = trace.damage();
  summary.unreadable = trace.unreadable();
  summary.status = status_of(trace, interrupted);
  summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (int i = 0; i < kStages; ++i) summary.stage_seconds[i] = clock.seconds(i);
  if (stats) {
    stats->write(summary_json(summary));
    stats->commit();
  }
  report(trace, summary, options);
  return summary.status;
}

}  // namespace warpmeter
