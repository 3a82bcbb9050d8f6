#include "pipeline/metering/cpu_metering.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "core/random_seed.h"
#include "flow/meter/segment_line.h"
#include "pipeline/metering/end_flows.h"
#include "pipeline/metering/shard_flows.h"

namespace warpmeter::inline pipeline {
namespace {

// Every shard may hold this many finished partials back.
constexpr std::size_t kPartialsPerChunk = 256;

// Flows of a shard that are looked at for being idle, at most, whenever its group has been metered.
constexpr std::size_t kLooksABatch = 1024;

// Groups of shards, for each of which a batch is a task: as many as threads may meter at once.
constexpr unsigned kFewestGroups = 16;

// A batch takes the scheduler's time, however large it is; so more threads make larger ones, of so many chunks.
constexpr unsigned kThreadsPerChunk = 16;

// Few: a batch that is used again soon is still in the cache. One thread alone needs no second one.
unsigned slots_for(unsigned threads) { return 2 * threads - 1; }

// Made where it stays: a copy would be written.
std::vector<SegmentBatch> one_batch(std::uint32_t most) {
  std::vector<SegmentBatch> batches;
  batches.emplace_back(most);
  return batches;
}

}  // namespace

CpuMetering::CpuMetering(const MeteringOptions& options, PacketSource& source, RunStore& runs, StageClock& clock)
    : CpuMetering(options, source, runs, clock, random_hash_seed()) {}

CpuMetering::CpuMetering(const MeteringOptions& options, PacketSource& source, RunStore& runs, StageClock& clock,
                         const HashSeed& hash_seed)
    : options_(options),
      shape_(shape_of(options)),
      shards_per_group_(kShards / shape_.consumers),
      runs_(runs),
      clock_(clock),
      decoder_(options.decode, hash_seed),
      batches_(source, shape_, [&] { return ListedBatch(decoder_, clock, one_batch(options.batch * shape_.chunks)); }),
      hole_memory_(hole_memory_of(options.meter), options.tmpdir) {
  for (unsigned i = 0; i < kShards; ++i)
    shards_.push_back(std::make_unique<Shard>(options.meter, hash_seed, flow_memory_, hole_memory_));
  told_live_.resize(shape_.consumers);
  if (options.expire_every_ns) {
    for (const auto& shard : shards_) shard->find_idle_flows(options.expire_every_ns / kPartsOfExpiry);
  }
  looked_ns_.resize(kShards);
  duplicates_.reserve(kShards);
  for (unsigned i = 0; i < kShards; ++i) duplicates_.emplace_back(options.meter.duplicates, hash_seed);
}

BatchShape CpuMetering::shape_of(const MeteringOptions& options) {
  return {.workers = options.threads,
          .slots = slots_for(options.threads),
          .consumers = std::min(std::max(std::bit_ceil(options.threads), kFewestGroups), kShards),
          .chunks = (options.threads + kThreadsPerChunk - 1) / kThreadsPerChunk,
          .chunk = {.frames = options.batch},
          .begin_worker = options.begin_thread};
}

void CpuMetering::run() {
  const auto before = batches_.reading_time();
  batches_.run([this](unsigned group, std::uint64_t first, std::uint64_t last) { meter(group, first, last); });
  clock_.add(Stage::read, batches_.reading_time() - before);
}

void CpuMetering::ListedBatch::finish(std::uint64_t first_number) {
  const StageClock::Scope scope(*clock_, Stage::decode);
  DecodedBatch::finish(first_number);
  shares.front().list_by_shard();
}

void CpuMetering::meter(unsigned group, std::uint64_t first_batch, std::uint64_t last_batch) {
  const unsigned first_shard = group * shards_per_group_, last_shard = first_shard + shards_per_group_;
  {
    const StageClock::Scope scope(clock_, Stage::meter);
    for (std::uint64_t b = first_batch; b < last_batch; ++b) {
      const SegmentBatch& batch = batches_[b].shares.front();
      meter_listed(shards_, duplicates_, batch, batch.of_shards(first_shard, last_shard));
      if (group != 0) continue;
      decode_counters_.add(batches_[b].counters);
      running_.add(batches_[b].counters);
    }
  }
  for (unsigned s = first_shard; s < last_shard; ++s) {
    if (shards_[s]->finished().size() >= kPartialsPerChunk) hand_over(*shards_[s]);
  }
  if (options_.expire_every_ns != 0) {
    const std::int64_t passed_ns = batches_[last_batch - 1].passed_ns;
    for (unsigned s = first_shard; s < last_shard; ++s) let_idle_flows_go(s, passed_ns);
  }
  tell_live_flows(group);
}

void CpuMetering::tell_live_flows(unsigned group) {
  std::uint64_t live = 0;
  for (unsigned i = 0; i < shards_per_group_; ++i) live += shards_[group * shards_per_group_ + i]->live();
  running_.live_flows(live, told_live_[group]);
  told_live_[group] = live;
}

// Not after every batch, but where it could not look at all of them.
void CpuMetering::let_idle_flows_go(unsigned shard, std::int64_t passed_ns) {
  if (passed_ns == FrameBlock::kNothingPassed) return;
  if (std::abs(passed_ns - looked_ns_[shard]) < options_.expire_every_ns / kPartsOfExpiry) return;
  std::size_t looks = kLooksABatch;
  {
    const StageClock::Scope scope(clock_, Stage::meter);
    if (shards_[shard]->let_idle_flows_go(passed_ns, looks)) looked_ns_[shard] = passed_ns;
  }
  hand_over(*shards_[shard]);
}

void CpuMetering::hand_over(Shard& shard) {
  const StageClock::Scope scope(clock_, Stage::spill);
  if (shard.finished().empty()) return;
  PartialChunk next;
  next.reserve(kPartialsPerChunk);
  running_.ended_flows(shard.finished().size());
  runs_.add(std::exchange(shard.finished(), std::move(next)));
}

std::int64_t CpuMetering::latest_ns() const {
  std::int64_t latest_ns = shards_.front()->latest_ns();
  for (const auto& shard : shards_) latest_ns = std::max(latest_ns, shard->latest_ns());
  return latest_ns;
}

std::vector<std::shared_ptr<const LiveFlows>> CpuMetering::live_flows() {
  const std::int64_t trace_ns = latest_ns();
  std::vector<std::shared_ptr<const LiveFlows>> flows;
  for (const auto& shard : shards_) {
    hand_over(*shard);
    flows.push_back(std::make_shared<ShardFlows>(*shard, trace_ns));
  }
  return flows;
}

void CpuMetering::drain() {
  std::vector<DuplicateFilter>().swap(duplicates_);
  std::vector<Shard*> shards;
  for (const auto& shard : shards_) {
    hand_over(*shard);
    shards.push_back(shard.get());
  }
  end_flows(shards, {options_.threads, options_.meter.flow_memory, batches_.passed_ns()}, runs_, clock_);
  for (const auto& shard : shards_) meter_counters_.add(shard->counters());
}

}  // namespace warpmeter::inline pipeline
