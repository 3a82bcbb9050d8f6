#include "command/policy/policy.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#include "base/files/output_file.h"
#include "base/words/human_units.h"
#include "core/seeded_hash.h"
#include "pipeline/batches/decoded_batch.h"
#include "pipeline/batches/ordered_batches.h"
#include "pipeline/run/command_run.h"
#include "pipeline/run/summary_list.h"
#include "policy/rounds/policy_rounds.h"

namespace warpmeter::inline command {
namespace {

constexpr std::size_t kMostDifferences = 10;  // that are told

struct TestSummary : ReadSummary {
  PolicyCounters policy;
  std::uint64_t lines = 0;
  std::optional<std::uint64_t> different;  // from what was expected
};

std::string line_of(std::uint64_t packet, const Outcome& outcome, const CompiledPolicy& policy) {
  std::string line = std::to_string(packet) + ' ';
  for (const Round& round : outcome.path) {
    if (&round != outcome.path.data()) line += '>';
    line += std::to_string(policy.groups()[round.group].id);
    line += round.matched ? '+' : '-';
  }
  if (outcome.path.empty()) line += '-';
  line += outcome.at == kDropPlace ? " DROP " : " OUT ";
  for (const BroughtLabel& label : outcome.labels) {
    if (&label != outcome.labels.data()) line += ';';
    line += policy.labels()[label.label];
  }
  if (outcome.labels.empty()) line += '-';
  return line;
}

// Where the lines go.
class Lines : public OutcomeWatcher {
 public:
  Lines(const TestPolicyOptions& options, const std::atomic<bool>& interrupted, TestSummary& summary)
      : policy_(*options.rounds.policy), output_("-", &interrupted), summary_(summary) {
    if (options.expect.empty()) return;
    expected_.open(options.expect);
    if (!expected_) throw Error(options.expect + ": " + std::strerror(errno));
    if (std::filesystem::is_directory(options.expect)) throw Error(options.expect + ": Is a directory");
    summary_.different = 0;
  }

  void settled(std::uint64_t packet, const Outcome& outcome) override {
    ++summary_.lines;
    const std::string line = line_of(packet, outcome, policy_);
    if (!summary_.different) return output_.write(line + '\n');
    std::string wanted;
    if (!std::getline(expected_, wanted)) return differ("nothing more", line);
    if (wanted != line) differ(wanted, line);
  }

  // `whole`: all packets have come.
  void finish(bool whole) {
    std::string wanted;
    while (whole && summary_.different && std::getline(expected_, wanted)) {
      ++summary_.lines;
      differ(wanted, "nothing more");
    }
    output_.commit();
  }

 private:
  void differ(const std::string& wanted, const std::string& got) {
    if (++*summary_.different > kMostDifferences) return;
    output_.write(fmt::format("line {}: expected {}, got {}\n", summary_.lines, wanted, got));
  }

  const CompiledPolicy& policy_;
  OutputFile output_;
  std::ifstream expected_;
  TestSummary& summary_;
};

// One consumer, which has all shards, so that lines come in the order of packets.
void run_packets(TraceSource& source, const TestPolicyOptions& options, const DecodeOptions& how, Lines& lines,
                 TestSummary& summary) {
  const HashSeed seed = random_hash_seed();
  const Decoder decoder(how, seed);
  BatchShape shape = shape_of_cached_batches(options.threads, 1);
  shape.chunk.keep = true;
  StageClock clock;
  using TestBatch = LeasedBatch<PolicyBatch>;
  OrderedBatches<TestBatch> batches(source, shape,
                                    [&] { return TestBatch(decoder, clock, one_share<PolicyBatch>(kCachedFrames)); });
  PolicyRounds rounds(options.rounds, seed, 0, kShards, *std::pmr::new_delete_resource(), nullptr, &lines);
  std::vector<ListedSegment> all;
  batches.run([&](unsigned, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t b = first; b < last; ++b) {
      const PolicyBatch& batch = batches[b].shares.front();
      summary.decode.add(batches[b].counters);
      all.clear();
      for (std::uint32_t i = 0; i < batch.count; ++i) all.push_back({batch.hash[i], i, batch.shard[i]});
      rounds.take(batch, all);
    }
  });
  rounds.end();
  summary.policy = rounds.counters();
}

RunReport report_of(const TestSummary& s) {
  SummaryList list;
  add_packets_read(list, s);
  add_unreadable(list, s);
  add_left_out(list, s);
  add_ignored(list, s);
  list.add("rounds", "rounds", s.policy.rounds, std::to_string(s.policy.rounds));
  list.add("dropped_packets", "packets dropped", s.policy.dropped, std::to_string(s.policy.dropped));
  if (s.policy.truncated) {
    list.add("truncated_packets", "packets truncated", s.policy.truncated, std::to_string(s.policy.truncated));
  }
  if (s.different) {
    list.add("different_lines", "lines", *s.different, fmt::format("{} of {} not as expected", *s.different, s.lines));
  }
  add_skipped(list, s);
  add_damage(list, s);
  add_duration(list, s, false, "nothing more was read");
  return {stats_text(list.json()), reading_warnings(s, "in the lines"), list.text()};
}

ExtractOptions as_extract(const TestPolicyOptions& options) {
  ExtractOptions extract;
  static_cast<CommandOptions&>(extract) = options;
  extract.policy = options.rounds;
  return extract;
}

ExitStatus test(const TestPolicyOptions& options, CommandRun& run) {
  // What is read, and what of it.
  const TraceInputs inputs(as_extract(options), run.interrupted());
  run.begin(inputs.files(), kOrFile);
  run.open_stats();

  // Packets to lines.
  TestSummary summary;
  Lines lines(options, run.interrupted(), summary);
  const std::unique_ptr<TraceSource> source = inputs.open(run.filter());
  const DecodeOptions how{
      .decapsulate = options.decapsulate, .filter = run.filter(), .tunnel_ports = options.tunnel_ports};
  run_packets(*source, options, how, lines, summary);
  run.finish_reading(inputs.found(), *source, summary);
  lines.finish(!run.interrupted());

  // What the run says.
  run.end(summary);
  if (summary.different.value_or(0) > 0 && !run.interrupted()) summary.status = ExitStatus::failed;
  run.report(report_of(summary));
  return summary.status;
}

}  // namespace

ExitStatus test_policy(const TestPolicyOptions& options, const std::atomic<bool>& interrupted) {
  ExitStatus status = ExitStatus::ok;
  CommandRun run(options, named_inputs(options), interrupted);
  run.run([&] { status = test(options, run); });
  return status;
}

}  // namespace warpmeter::inline command
