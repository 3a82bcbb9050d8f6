#include "command/packets/judged_batch.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "base/threads/sequencer.h"
#include "flow/meter/huge_pages.h"
#include "pipeline/batches/ordered_batches.h"
#include "pipeline/metering/hole_memory.h"
#include "pipeline/metering/metering_work.h"
#include "pipeline/metering/shard_group.h"

namespace warpmeter::inline command {
namespace {

constexpr unsigned kFewestGroups = 16;

// The groups, and what their shards lie in.
class JudgingShards {
 public:
  JudgingShards(const ExtractOptions& options, const HashSeed& seed, StageClock& clock, unsigned groups)
      : meter_(cpu_meter_options(options)), hole_memory_(hole_memory_of(meter_), options.tmpdir) {
    const ShardGroupOptions group{.meter = meter_,
                                  .hash_seed = seed,
                                  .flow_memory = flow_memory_,
                                  .hole_memory = hole_memory_,
                                  .clock = clock,
                                  .give_away = [](const PartialChunk&) {}};
    const unsigned shards = kShards / groups;
    for (unsigned i = 0; i < kShards; i += shards)
      groups_.push_back(std::make_unique<ShardGroup>(group, i, i + shards));
  }

  ShardGroup& operator[](unsigned group) { return *groups_[group]; }

 private:
  const MeterOptions meter_;
  HugePages flow_memory_;
  HoleMemory hole_memory_;
  std::vector<std::unique_ptr<ShardGroup>> groups_;
};

// Whoever meters a batch last picks it, and waits for its turn to have it written. That is no deadlock: no group is
// done with a batch before it is done with the one before, so that this one was picked before, or is being picked.
class JudgingPass {
 public:
  JudgingPass(OrderedBatches<JudgedBatch>& batches, JudgingShards& shards,
              const std::function<void(JudgedBatch&)>& write)
      : batches_(batches), shards_(shards), write_(write) {}

  void meter(unsigned group, std::uint64_t first, std::uint64_t last) {
    try {
      for (std::uint64_t b = first; b < last; ++b) {
        if (batches_[b].meter(shards_[group]) && !pick(b)) return;
      }
    } catch (...) {
      turns_.fail();
      throw;
    }
    shards_[group].flush_full();
  }

  const JudgedCounts& counts() const { return counts_; }

 private:
  // False where another thread has failed.
  bool pick(std::uint64_t number) {
    JudgedBatch& batch = batches_[number];
    batch.pick();
    if (!turns_.wait_for(number)) return false;
    write_(batch);
    counts_.decode.add(batch.counters());
    counts_.packets += batch.picked();
    counts_.changed_times += batch.changed_times();
    for (std::size_t i = 0; i < counts_.by_verdict.size(); ++i) counts_.by_verdict[i] += batch.by_verdict()[i];
    turns_.end();
    return true;
  }

  OrderedBatches<JudgedBatch>& batches_;
  JudgingShards& shards_;
  const std::function<void(JudgedBatch&)>& write_;
  Sequencer turns_;
  JudgedCounts counts_;  // by whose turn it is
};

}  // namespace

unsigned judging_groups(unsigned threads) { return std::clamp(std::bit_ceil(threads), kFewestGroups, kShards); }

JudgedCounts judge_packets(TraceSource& trace, const JudgeRules& rules, const ExtractOptions& options,
                           const HashSeed& seed, const std::function<void(JudgedBatch&)>& write) {
  JudgingShards shards(options, seed, rules.clock, rules.groups);
  BatchShape shape = shape_of_cached_batches(options.threads, rules.groups);
  shape.chunk.frames = rules.frames;
  shape.chunk.in_order = true;  // rows are
  if (!rules.table) shape.chunk = {.frames = rules.frames, .bytes = rules.bytes, .keep = true};
  OrderedBatches<JudgedBatch> batches(trace, shape, [&] { return JudgedBatch(rules); });
  JudgingPass pass(batches, shards, write);
  batches.run([&](unsigned group, std::uint64_t first, std::uint64_t last) { pass.meter(group, first, last); });
  return pass.counts();
}

}  // namespace warpmeter::inline command
