#include "command/decode/decode_captures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/files/output_file.h"
#include "base/files/output_folder.h"
#include "base/threads/in_threads.h"
#include "base/words/human_units.h"
#include "command/decode/marked_batch.h"
#include "core/hash_seed.h"
#include "core/seeded_hash.h"
#include "packet/file/inputs.h"
#include "packet/file/trace.h"
#include "packet/segments/segment_file.h"
#include "packet/segments/segment_format.h"
#include "packet/segments/set_facts.h"
#include "pipeline/batches/ordered_batches.h"
#include "pipeline/metering/progress.h"
#include "pipeline/run/command_run.h"
#include "pipeline/run/summary_list.h"

namespace warpmeter::inline command {
namespace {

// Segments ahead: far enough to hide a cache miss.
constexpr std::size_t kSoon = 8, kSooner = 4;

// Batches of segments to the files of a set: a file each partition.
//
// Threads: add() from one thread at a time for a partition, beside others for others.
class SetWriter {
 public:
  // Opens the files in the folder, each with that header but for its partition. `hash_seed`: of the hashes in batches.
  // Throws Error, as do all others.
  SetWriter(const std::string& folder, const SegmentFileHeader& header, const HashSeed& hash_seed);

  // The next batch, for one partition.
  void add(unsigned partition, const MarkedBatch& batch);

  // All batches were added. The files are complete; so many threads help.
  void finish(const SetFacts& facts, unsigned threads);

  std::uint64_t bytes() const;

 private:
  struct File {
    OutputFile file;
    SegmentFileWriter writer;

    File(const std::string& name, const SegmentFileHeader& header, const HashSeed& hash_seed)
        : file(name), writer(header, hash_seed, file) {}
  };
  std::vector<std::unique_ptr<File>> files_;  // by partition
};

SetWriter::SetWriter(const std::string& folder, const SegmentFileHeader& header, const HashSeed& hash_seed) {
  SegmentFileHeader one = header;
  for (unsigned p = 0; p < header.partitions; ++p) {
    one.partition = static_cast<std::uint8_t>(p);
    const std::string name = fmt::format("{}/part-{:02}-of-{:02}.segments", folder, p + 1, header.partitions);
    files_.push_back(std::make_unique<File>(name, one, hash_seed));
  }
}

void SetWriter::add(unsigned partition, const MarkedBatch& marked) {
  const SegmentBatch& batch = marked.shares.front();
  SegmentFileWriter& writer = files_[partition]->writer;
  const std::uint64_t first = batch.first_number - 1;
  const auto all = marked.of_partition(partition);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i + kSoon < all.size()) writer.prefetch(all[i + kSoon].hash, all[i + kSooner].hash);
    const ListedSegment& listed = all[i];
    const Segment& segment = batch.segment[listed.at];
    const bool behind = listed.at > 0 && batch.segment[listed.at - 1].frame == segment.frame;
    writer.add(batch.key[listed.at], listed.hash, segment, first + segment.frame, behind);
  }
}

void SetWriter::finish(const SetFacts& facts, unsigned threads) {
  for_each_index(files_.size(), threads, [&](std::size_t i) {
    files_[i]->writer.finish(facts);
    files_[i]->file.commit();
  });
}

std::uint64_t SetWriter::bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& file : files_) bytes += file->writer.bytes();
  return bytes;
}

// What a run has to tell at its end: on standard error for people, as JSON for programs (--stats).
struct DecodeSummary : ReadSummary {
  SetFacts facts;  // with these findings and counters
  std::uint64_t bytes_written = 0;
};

std::string written_text(const DecodeSummary& s) {
  const auto bytes = static_cast<double>(s.bytes_written);
  const std::uint64_t packets = s.decode.frames;
  if (packets == 0) return human_bytes(bytes);
  return fmt::format("{}, {:.1f} bytes a packet", human_bytes(bytes), bytes / static_cast<double>(packets));
}

SummaryList list_of(const DecodeSummary& s) {
  SummaryList list;
  add_packets_read(list, s);
  add_unreadable(list, s);
  add_left_out(list, s);
  add_skipped(list, s);
  list.add("packets_decoded", "packets decoded", s.decode.metered, std::to_string(s.decode.metered));
  add_ignored(list, s);
  add_unread(list, s);
  list.add("bytes_written", "written", s.bytes_written, written_text(s));
  add_duration(list, s, false, "what was read until then is in the segment files");
  return list;
}

RunReport report_of(const DecodeSummary& s) {
  SummaryList list = list_of(s);
  list.add_for_programs(s.facts);  // what the files say themselves
  return {stats_text(list.json()), reading_warnings(s, "in the segment files"), list.text()};
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
    OrderedBatches<MarkedBatch> batches(source, shape_of_cached_batches(options_.threads, options_.partitions), [&] {
      return MarkedBatch(decoder_, clock_, one_share<SegmentBatch>(kCachedFrames), options_.partitions);
    });
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
  for (ClockRegression& back : facts.findings.time_runs_back) {
    rename(back.from);
    rename(back.to);
  }
}

// As the set tells it: what was left out, and where decoding was stopped. That this run was interrupted its summary
// says by itself.
void tell_of_reading(const DecodeCommandOptions& options, const Trace& trace, ReadSummary& summary, SetFacts& facts) {
  for (const TraceFile& file : trace.files()) facts.inputs.push_back(name_of_input(file.path));
  facts.findings = std::move(summary.findings);
  rename_standard_input(facts, options.stdin_name);
  summary.findings = facts.findings;
  if (!summary.interrupted) return;
  facts.findings.damage.push_back(
      {named_together(facts.inputs), trace.bytes_read(), std::string(kDecodingInterrupted)});
}

ExitStatus decode(const DecodeCommandOptions& options, CommandRun& run) {
  // What is read, and what of it.
  const InputFiles inputs = expand_inputs(options.inputs, options.input_format, options.recursive);
  if (!options.stdin_name.empty() && std::ranges::count(inputs.files, "-") == 0) {
    throw Error("--stdin-name: none of the inputs is standard input (-)", ExitStatus::usage);
  }
  run.begin(inputs.files, kOrFile);

  // Where it goes.
  OutputFolder folder(options.output, "segment files");
  if (!folder.was_there()) run.in_use().claim(folder.name());
  run.open_stats();

  // Frames to segments, in files that have no name yet.
  const std::unique_ptr<Trace> trace = run.open(inputs.files);
  const HashSeed seed = options.hash_seed.empty() ? random_hash_seed() : hash_seed_of(options.hash_seed);
  Decoding decoding(options, run.filter(), seed, folder.path());
  decoding.run(*trace);

  // What the set says of itself; then it is there.
  DecodeSummary summary;
  run.finish_reading(inputs, *trace, summary);
  tell_of_reading(options, *trace, summary, decoding.facts);
  summary.bytes_written = decoding.finish();
  folder.commit();

  // What the run says.
  summary.facts = decoding.facts;
  summary.decode = summary.facts.counters;
  run.end(summary);
  run.report(report_of(summary));
  return summary.status;
}

}  // namespace

ExitStatus decode_captures(const DecodeCommandOptions& options, const std::atomic<bool>& interrupted) {
  ExitStatus status = ExitStatus::ok;
  CommandRun run(options, options.inputs, interrupted);
  run.run([&] { status = decode(options, run); });
  return status;
}

}  // namespace warpmeter::inline command
