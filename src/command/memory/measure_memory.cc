#include "command/memory/measure_memory.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/files/output_file.h"
#include "base/program/files_in_use.h"
#include "base/program/interrupt.h"
#include "command/memory/memory_summary.h"
#include "command/memory/memory_text.h"
#include "command/memory/stream_memory.h"
#include "core/random_seed.h"
#include "packet/decode/packet_filter.h"
#include "packet/file/inputs.h"
#include "pipeline/batches/decoded_batch.h"
#include "pipeline/batches/ordered_batches.h"
#include "pipeline/metering/progress.h"
#include "pipeline/run/trace_inputs.h"
#include "warpmeter/capture_error.h"

namespace warpmeter::inline command {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kBatch = 4096;  // frames: stays in a core's cache

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

std::vector<SegmentBatch> one_batch() {
  std::vector<SegmentBatch> batches;
  batches.emplace_back(kBatch);
  return batches;
}

// As that of extract, whose inputs these are as well.
ExtractOptions as_extract(const MemoryOptions& options) {
  ExtractOptions extract;
  extract.inputs = options.inputs;
  extract.input_format = options.input_format;
  extract.resync = options.resync;
  extract.order = options.order;
  extract.recursive = options.recursive;
  extract.filter = options.filter;
  extract.decapsulate = options.decapsulate;
  extract.tunnel_ports = options.tunnel_ports;
  extract.output.file = options.output;
  extract.stats_file = options.stats_file;
  return extract;
}

std::unique_ptr<PacketFilter> compiled(const std::string& filter) {
  if (filter.empty()) return nullptr;
  const EndedBySignals meanwhile;
  return std::make_unique<PacketFilter>(filter, " (nor is there a file of that name)");
}

// One consumer, as peaks are of all connections at once; reading and decoding go on beside it.
void read_all(TraceSource& source, const MemoryOptions& options, const DecodeOptions& how, MemorySummary& summary) {
  const HashSeed seed = random_hash_seed();
  const Decoder decoder(how, seed);
  const Progress progress(source, !options.quiet);
  const BatchShape shape{.workers = options.threads,
                         .slots = 2 * options.threads + 1,
                         .consumers = 1,
                         .chunks = 1,
                         .chunk = {.frames = kBatch, .in_order = true}};
  StageClock clock;
  OrderedBatches<PreparedBatch> batches(source, shape,
                                        [&] { return PreparedBatch(decoder, clock, one_batch(), seed); });
  StreamMemory memory(seed, options.memory);
  batches.run([&](unsigned, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t b = first; b < last; ++b) {
      summary.counters.add(batches[b].counters);
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

void measure(const MemoryOptions& options, const std::atomic<bool>& interrupted, StatsFile& stats,
             MemorySummary& summary) {
  const auto start = Clock::now();
  const TraceInputs inputs(as_extract(options), interrupted);
  stats.inputs_are_known();
  FilesInUse in_use(inputs.files());
  if (!options.stats_file.empty()) in_use.claim(options.stats_file);
  stats.is_claimed();
  in_use.claim(options.output);
  stats.open();
  OutputFile output(options.output, &interrupted);
  const std::unique_ptr<PacketFilter> filter = compiled(options.filter);
  const std::unique_ptr<TraceSource> source = inputs.open(filter.get());

  const DecodeOptions how{.decapsulate = inputs.options().decapsulate,
                          .filter = filter.get(),
                          .tunnel_ports = inputs.options().tunnel_ports};
  read_all(*source, options, how, summary);
  if (source->nothing_readable()) throw CaptureError(joined(source->findings().unreadable));
  summary.findings = source->findings();
  summary.passed_over = inputs.found().passed_over;
  summary.folders_below = inputs.found().folders_below;
  std::vector<std::string>& unreadable = summary.findings.unreadable;
  unreadable.insert(unreadable.begin(), inputs.found().unreadable.begin(), inputs.found().unreadable.end());
  summary.bytes_read = source->bytes_read();
  summary.interrupted = interrupted;
  output.write(output_of(summary, options));
  output.commit();
  summary.seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

ExitStatus measure_memory(const MemoryOptions& options, const std::atomic<bool>& interrupted) {
  StatsFile stats(options.stats_file, options.inputs, interrupted);
  MemorySummary summary;
  try {
    measure(options, interrupted, stats, summary);
  } catch (const std::exception& error) {
    stats.write_failure(error);
    throw;
  }
  return report(summary, options, stats);
}

}  // namespace warpmeter::inline command
