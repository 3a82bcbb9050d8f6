#include "command/decode/decode_captures.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "base/files/output_folder.h"
#include "base/program/files_in_use.h"
#include "base/program/interrupt.h"
#include "base/program/messages.h"
#include "command/decode/decode_summary.h"
#include "command/decode/hash_seed_text.h"
#include "command/decode/marked_batch.h"
#include "command/decode/set_writer.h"
#include "core/random_seed.h"
#include "packet/decode/packet_filter.h"
#include "packet/file/inputs.h"
#include "packet/file/trace.h"
#include "pipeline/batches/ordered_batches.h"
#include "pipeline/metering/progress.h"
#include "pipeline/run/stats_file.h"
#include "warpmeter/capture_error.h"

namespace warpmeter::inline command {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kBatch = 4096;  // frames: stays in a core's cache

std::unique_ptr<PacketFilter> compiled(const std::string& filter) {
  if (filter.empty()) return nullptr;
  const EndedBySignals meanwhile;
  return std::make_unique<PacketFilter>(filter, " (nor is there a file of that name)");
}

std::vector<SegmentBatch> one_batch() {
  std::vector<SegmentBatch> batches;
  batches.emplace_back(kBatch);
  return batches;
}

SegmentFileHeader header_of(const DecodeCommandOptions& options) {
  SegmentFileHeader header;
  header.partitions = static_cast<std::uint8_t>(options.partitions);
  header.row_frames = options.row_frames;
  return header;
}

std::string named_together(const std::vector<std::string>& files) {
  return files.front() + (files.size() > 1 ? fmt::format(" and {} more", files.size() - 1) : "");
}

// What is written of the frames, and what is known of them.
class Decoding {
 public:
  Decoding(const DecodeCommandOptions& options, const PacketFilter* filter, const HashSeed& hash_seed,
           const std::string& folder)
      : options_(options),
        decoder_({options.key_vlan, options.decapsulate, filter, options.tunnel_ports}, hash_seed),
        writer_(folder, header_of(options), hash_seed) {
    facts.options = {options.key_vlan, options.decapsulate, options.tunnel_ports, options.filter, mark_of(hash_seed)};
  }

  void run(PacketSource& source) {
    const Progress progress(source, !options_.quiet);
    const BatchShape shape{.workers = options_.threads,
                           .slots = 2 * options_.threads + 1,
                           .consumers = options_.partitions,
                           .chunks = 1,
                           .chunk = {.frames = kBatch}};
    OrderedBatches<MarkedBatch> batches(
        source, shape, [&] { return MarkedBatch(decoder_, clock_, one_batch(), options_.partitions); });
    batches.run([&](unsigned partition, std::uint64_t first, std::uint64_t last) {
      for (std::uint64_t b = first; b < last; ++b) {
        writer_.add(partition, batches[b]);
        if (partition == 0) count(batches[b]);
      }
    });
    facts.first_ns = marks_.first_ns;
    facts.latest_ns = marks_.any ? marks_.latest_ns : 0;
    facts.latest_segment_ns = facts.counters.metered > 0 ? marks_.latest_segment_ns : 0;
    facts.links.assign(marks_.links.begin(), marks_.links.end());
  }

  std::uint64_t finish() {
    writer_.finish(facts, options_.threads);
    return writer_.bytes();
  }

  SetFacts facts;

 private:
  void count(const MarkedBatch& batch) {
    facts.counters.add(batch.counters);
    marks_.add(batch.marks);
  }

  const DecodeCommandOptions& options_;
  StageClock clock_;
  const Decoder decoder_;
  SetWriter writer_;
  FrameMarks marks_;
};

// What messages call standard input, the set calls by another name.
void rename_standard_input(SetFacts& facts, const std::string& name) {
  if (name.empty()) return;
  const std::string usual = name_of_input("-");
  const auto rename = [&](std::string& text) {
    if (text == usual) text = name;
    else if (text.starts_with(usual + ":")) text.replace(0, usual.size(), name);
  };
  for (std::string& input : facts.inputs) rename(input);
  for (Damage& damage : facts.findings.damage) rename(damage.file);
  for (OddFractions& odd : facts.findings.odd_fractions) rename(odd.file);
  for (std::string& message : facts.findings.unreadable) rename(message);
  for (TimeRunsBack& back : facts.findings.time_runs_back) {
    rename(back.from);
    rename(back.to);
  }
}

void decode(const DecodeCommandOptions& options, const std::atomic<bool>& interrupted, StatsFile& stats,
            DecodeSummary& summary) {
  const auto start = Clock::now();
  const InputFiles inputs = expand_inputs(options.inputs, options.input_format, options.recursive);
  stats.inputs_are_known();
  if (!options.stdin_name.empty() && std::ranges::count(inputs.files, "-") == 0) {
    throw Error("--stdin-name: none of the inputs is standard input (-)", ExitStatus::usage);
  }
  const std::unique_ptr<PacketFilter> filter = compiled(options.filter);
  FilesInUse in_use(inputs.files);
  if (!options.stats_file.empty()) in_use.claim(options.stats_file);
  stats.is_claimed();
  OutputFolder folder(options.output, "segment files");
  if (!folder.was_there()) in_use.claim(folder.name());
  stats.open();
  const CaptureOptions capture{
      .format = options.input_format, .resync = options.resync, .refusal = refusals_of(filter.get())};
  Trace trace(inputs.files, interrupted, {.capture = capture, .order = options.order});
  const HashSeed seed = options.hash_seed.empty() ? random_hash_seed() : hash_seed_of(options.hash_seed);

  Decoding decoding(options, filter.get(), seed, folder.path());
  decoding.run(trace);
  if (trace.nothing_readable()) throw CaptureError(joined(trace.unreadable()));

  SetFacts& facts = decoding.facts;
  for (const TraceFile& file : trace.files()) facts.inputs.push_back(name_of_input(file.path));
  facts.findings = trace.findings();
  std::vector<std::string>& unreadable = facts.findings.unreadable;
  unreadable.insert(unreadable.begin(), inputs.unreadable.begin(), inputs.unreadable.end());
  if (interrupted) {
    facts.findings.damage.push_back({named_together(facts.inputs), trace.bytes_read(), "decoding was interrupted"});
  }
  rename_standard_input(facts, options.stdin_name);
  summary.bytes_written = decoding.finish();
  folder.commit();

  summary.facts = facts;
  summary.passed_over = inputs.passed_over;
  summary.folders_below = inputs.folders_below;
  summary.bytes_read = trace.bytes_read();
  summary.interrupted = interrupted;
  summary.seconds = std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

ExitStatus decode_captures(const DecodeCommandOptions& options, const std::atomic<bool>& interrupted) {
  StatsFile stats(options.stats_file, options.inputs, interrupted);
  DecodeSummary summary;
  try {
    decode(options, interrupted, stats, summary);
  } catch (const std::exception& error) {
    stats.write_failure(error);
    throw;
  }
  return report(summary, options, stats);
}

}  // namespace warpmeter::inline command
