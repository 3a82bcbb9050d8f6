#include "command/memory/measure_memory.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/files/output_file.h"
#include "command/memory/memory_cells.h"
#include "command/memory/stream_memory.h"
#include "core/seeded_hash.h"
#include "pipeline/batches/decoded_batch.h"
#include "pipeline/batches/ordered_batches.h"
#include "pipeline/metering/progress.h"
#include "pipeline/run/command_run.h"
#include "pipeline/run/summary_list.h"

namespace warpmeter::inline command {
namespace {

// What a run has to tell at its end, beside its tables: on standard error for people, as JSON for programs (--stats).
struct MemorySummary : ReadSummary {
  MemoryTables tables;
};

RunReport report_of(const MemorySummary& s) {
  SummaryList list;
  add_packets_read(list, s);
  list.add("ip_packets", "IP packets", s.tables.packets, std::to_string(s.tables.packets));
  add_unreadable(list, s);
  add_left_out(list, s);
  add_ignored(list, s);
  add_skipped(list, s);
  add_damage(list, s);
  add_unread(list, s);
  list.add_for_programs("joined_ranges", s.tables.joined_ranges);
  list.add_for_programs("forgotten_connections", s.tables.forgotten);
  list.add_for_programs("connections_ended_early", s.tables.ended_early);
  add_odd_times(list, s, "; it stands still there");
  add_duration(list, s, false, "the tables are of what was read until then");
  return {stats_text(list.json()), reading_warnings(s, "in the tables"), list.text()};
}

// Decoded packets, and what is wanted of them.
class PreparedBatch : public DecodedBatch<SegmentBatch> {
 public:
  PreparedBatch(const Decoder& decoder, StageClock& clock, std::vector<SegmentBatch> batch, const HashSeed& hash_seed)
      : DecodedBatch(decoder, clock, std::move(batch)), hash_seed_(&hash_seed) {}

  void finish(std::uint64_t first_number) {
    DecodedBatch::finish(first_number);
    packets.take(shares.front(), *hash_seed_);
  }

  TcpPackets packets;

 private:
  const HashSeed* hash_seed_;
};

// As those of extract, whose inputs these are as well.
ExtractOptions as_extract(const MemoryOptions& options) {
  ExtractOptions extract;
  static_cast<CommandOptions&>(extract) = options;
  extract.output.file = options.output;
  return extract;
}

// One consumer, as peaks are of all connections at once; reading and decoding go on beside it.
void read_all(TraceSource& source, const MemoryOptions& options, const DecodeOptions& how, MemorySummary& summary) {
  const HashSeed seed = random_hash_seed();
  const Decoder decoder(how, seed);
  const Progress progress(source, !options.quiet);
  BatchShape shape = shape_of_cached_batches(options.threads, 1);
  shape.chunk.in_order = true;
  StageClock clock;
  OrderedBatches<PreparedBatch> batches(
      source, shape, [&] { return PreparedBatch(decoder, clock, one_share<SegmentBatch>(kCachedFrames), seed); });
  StreamMemory memory(seed, options.memory);
  batches.run([&](unsigned, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t b = first; b < last; ++b) {
      summary.decode.add(batches[b].counters);
      memory.take(batches[b].packets);
    }
  });
  summary.tables = memory.tables();
}

std::string output_of(const MemorySummary& summary, const MemoryOptions& options) {
  const MemoryChoice choice{options.timeout, options.block_size};
  if (options.format == MemoryFormat::table) return memory_table_text(summary.tables, choice);
  if (options.format == MemoryFormat::csv) return memory_csv(summary.tables);
  if (options.format == MemoryFormat::json) return memory_json(summary.tables, choice);
  PageOptions page{.title = options.title,
                   .inputs = options.inputs,
                   .damage = {},
                   .unreadable = summary.findings.unreadable,
                   .interrupted = summary.interrupted};
  for (const Damage& d : summary.findings.damage) page.damage.push_back({d.file, {d.offset, d.reason}});
  return memory_html(summary.tables, choice, page);
}

ExitStatus measure(const MemoryOptions& options, CommandRun& run) {
  // What is read, and what of it.
  const TraceInputs inputs(as_extract(options), run.interrupted());
  run.begin(inputs.files(), kOrFile);

  // Where the tables go.
  run.in_use().claim(options.output);
  run.open_stats();
  OutputFile output(options.output, &run.interrupted());

  // Packets to tables.
  const std::unique_ptr<TraceSource> source = inputs.open(run.filter());
  const DecodeOptions how{.decapsulate = inputs.options().decapsulate,
                          .filter = run.filter(),
                          .tunnel_ports = inputs.options().tunnel_ports};
  MemorySummary summary;
  read_all(*source, options, how, summary);
  run.finish_reading(inputs.found(), *source, summary);
  if (options.format != MemoryFormat::html) {  // a page names the inputs
    summary.tables.damaged_inputs = summary.findings.damage.size() + summary.findings.unreadable.size();
    summary.tables.interrupted = summary.interrupted;
  }

  // The tables as text, or as a page.
  output.write(output_of(summary, options));
  output.commit();

  // What the run says.
  run.end(summary);
  run.report(report_of(summary));
  return summary.status;
}

}  // namespace

ExitStatus measure_memory(const MemoryOptions& options, const std::atomic<bool>& interrupted) {
  ExitStatus status = ExitStatus::ok;
  CommandRun run(options, options.inputs, interrupted);
  run.run([&] { status = measure(options, run); });
  return status;
}

}  // namespace warpmeter::inline command
