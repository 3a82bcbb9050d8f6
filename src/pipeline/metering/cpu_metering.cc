#include "pipeline/metering/cpu_metering.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/seeded_hash.h"
#include "pipeline/metering/shard_group.h"

namespace warpmeter::inline pipeline {
namespace {

// Flows that are looked at for being idle, at most, whenever a group has been metered.
constexpr std::size_t kLooksABatch = 4096;

// Groups of shards, for each of which a batch is a task: as many as threads may meter at once.
constexpr unsigned kFewestGroups = 16;

// A batch takes the scheduler's time, however large it is; so more threads make larger ones, of so many chunks.
constexpr unsigned kThreadsPerChunk = 16;

// Few: a batch that is used again soon is still in the cache. One thread alone needs no second one.
unsigned slots_for(unsigned threads) { return 2 * threads - 1; }

}  // namespace

template <class Batch>
CpuMeteringOf<Batch>::CpuMeteringOf(const MeteringOptions& options, PacketSource& source, RunStore& runs,
                                    StageClock& clock)
    : CpuMeteringOf(options, source, runs, clock, random_hash_seed()) {}

template <class Batch>
CpuMeteringOf<Batch>::CpuMeteringOf(const MeteringOptions& options, PacketSource& source, RunStore& runs,
                                    StageClock& clock, const HashSeed& hash_seed)
    : options_(options),
      shape_(shape_of(options)),
      runs_(runs),
      clock_(clock),
      decoder_(options.decode, hash_seed),
      batches_(
          source, shape_,
          [&] { return ListedBatch(decoder_, clock, one_share<Batch>(options.batch * shape_.chunks), options.annex); }),
      hole_memory_(hole_memory_of(options.meter), options.tmpdir) {
  const ShardGroupOptions group{.meter = options_.meter,
                                .hash_seed = hash_seed,
                                .flow_memory = flow_memory_,
                                .hole_memory = hole_memory_,
                                .clock = clock,
                                .running = &running_,
                                .give_away = [&runs](PartialChunk partials) { runs.add(std::move(partials)); },
                                .expire_every_ns = options.expire_every_ns,
                                .most_looks = kLooksABatch,
                                .annexes = options_.annex};
  const unsigned shards = kShards / shape_.consumers;
  for (unsigned i = 0; i < kShards; i += shards) add_group(group, i, i + shards);
}

template <class Batch>
CpuMeteringOf<Batch>::GroupPolicy::GroupPolicy(const MeteringOptions& options, const HashSeed& hash_seed,
                                               unsigned first, unsigned end, std::pmr::memory_resource& memory,
                                               RunStore& runs)
    : log(runs),
      live(options.expire_every_ns == 0
               ? std::nullopt
               : std::make_optional<LiveAnnotations>(hash_seed,
                                                     [this](const FlowKey& key) { return group->arrival_of(key); })),
      rounds(options.policy, hash_seed, first, end, memory, &sink(), nullptr, live.has_value()) {}

// What has come of the batch.
template <class Batch>
void CpuMeteringOf<Batch>::GroupPolicy::tell() {
  const std::lock_guard lock(mutex);
  told = rounds.counters();
}

template <class Batch>
void CpuMeteringOf<Batch>::add_group(ShardGroupOptions group, unsigned first, unsigned end) {
  if constexpr (kHasPolicy) {
    policies_.push_back(std::make_unique<GroupPolicy>(options_, group.hash_seed, first, end, flow_memory_, runs_));
    if (GroupPolicy* const policy = policies_.back().get(); policy->live) {
      group.give_away = [this, policy](PartialChunk partials) {
        policy->live->settle(partials);
        runs_.add(std::move(partials));
      };
    }
  }
  groups_.push_back(std::make_unique<ShardGroup>(group, first, end));
  if constexpr (kHasPolicy) policies_.back()->group = groups_.back().get();
}

template <class Batch>
BatchShape CpuMeteringOf<Batch>::shape_of(const MeteringOptions& options) {
  return {.workers = options.threads,
          .slots = slots_for(options.threads),
          .consumers = std::min(std::max(std::bit_ceil(options.threads), kFewestGroups), kShards),
          .chunks = (options.threads + kThreadsPerChunk - 1) / kThreadsPerChunk,
          .chunk = {.frames = options.batch, .keep = kHasPolicy || options.annex},
          .begin_worker = options.begin_thread};
}

template <class Batch>
void CpuMeteringOf<Batch>::run() {
  const auto before = batches_.reading_time();
  batches_.run([this](unsigned group, std::uint64_t first, std::uint64_t last) { meter(group, first, last); });
  clock_.add(Stage::read, batches_.reading_time() - before);
}

template <class Batch>
void CpuMeteringOf<Batch>::ListedBatch::begin() {
  Decoded::begin();
  frames.clear();
  leases.clear();
}

template <class Batch>
void CpuMeteringOf<Batch>::ListedBatch::add(const FrameBlock& block) {
  Decoded::add(block);
  if (!keeps_frames) return;
  frames.insert(frames.end(), block.frames.begin(), block.frames.end());
  for (const Lease& lease : block.leases) {
    if (leases.empty() || leases.back() != lease) leases.push_back(lease);
  }
}

template <class Batch>
void CpuMeteringOf<Batch>::ListedBatch::finish(std::uint64_t first_number) {
  const StageClock::Scope scope(*this->clock_, Stage::decode);
  Decoded::finish(first_number);
  this->shares.front().list_by_shard();
}

// A frame may have several packets of one key.
template <class Batch>
class CpuMeteringOf<Batch>::AnnexesOfFrames : public AnnexSource {
 public:
  AnnexesOfFrames(const Decoder& decoder, const ListedBatch& of) : decoder_(decoder), of_(of) {}

  Annex annex_of(std::uint32_t at) const override {
    const Batch& batch = of_.shares.front();
    const FlowKey& key = batch.key[at];
    const std::uint32_t frame = batch.segment[at].frame;
    std::size_t before = 0;
    for (std::uint32_t i = at; i-- > 0 && batch.segment[i].frame == frame;) before += batch.key[i] == key;
    return decoder_.annex_of(of_.frames[frame], key, before);
  }

 private:
  const Decoder& decoder_;
  const ListedBatch& of_;
};

template <class Batch>
void CpuMeteringOf<Batch>::meter(unsigned number, std::uint64_t first_batch, std::uint64_t last_batch) {
  ShardGroup& group = *groups_[number];
  {
    const StageClock::Scope scope(clock_, Stage::meter);
    for (std::uint64_t b = first_batch; b < last_batch; ++b) {
      meter(number, batches_[b]);
      if (number != 0) continue;
      decode_counters_.add(batches_[b].counters);
      running_.add(batches_[b].counters);
    }
  }
  group.flush_full();
  group.expire_idle(batches_[last_batch - 1].watermark_ns);
  group.tell_live_flows();
}

template <class Batch>
void CpuMeteringOf<Batch>::meter(unsigned number, const ListedBatch& of, std::span<const ListedSegment> listed) {
  const Batch& batch = of.shares.front();
  if (!options_.annex) groups_[number]->meter(batch, listed);
  else groups_[number]->meter(batch, listed, AnnexesOfFrames(decoder_, of));
}

template <class Batch>
void CpuMeteringOf<Batch>::meter(unsigned number, const ListedBatch& of) {
  const Batch& batch = of.shares.front();
  const unsigned shards = kShards / shape_.consumers;
  const auto all = batch.of_shards(number * shards, (number + 1) * shards);
  if constexpr (kHasPolicy) {
    GroupPolicy& policy = *policies_[number];
    meter(number, of, policy.rounds.take(batch, all));
    if (policy.live) {
      groups_[number]->flush_partials();
      policy.live->put_away();
    }
    if (options_.policy.running) policy.tell();
  } else {
    meter(number, of, all);
  }
}

template <class Batch>
std::vector<std::shared_ptr<const LiveFlows>> CpuMeteringOf<Batch>::live_flows() {
  std::int64_t trace_ns = groups_.front()->latest_ns();
  for (const auto& group : groups_) trace_ns = std::max(trace_ns, group->latest_ns());
  std::vector<std::shared_ptr<const LiveFlows>> flows;
  for (const auto& group : groups_) {
    group->flush_partials();
    for (const auto& shard : group->shards()) flows.push_back(std::make_shared<ShardFlows>(*shard, trace_ns));
  }
  return flows;
}

template <class Batch>
PartialChunk CpuMeteringOf<Batch>::live_annotations() {
  PartialChunk parts;
  for (const auto& policy : policies_) {
    if (!policy->live) continue;
    policy->live->put_away();
    const PartialChunk of_group = policy->live->of_living();
    parts.insert(parts.end(), of_group.begin(), of_group.end());
  }
  return parts;
}

template <class Batch>
PolicyCounters CpuMeteringOf<Batch>::running_policy() const {
  PolicyCounters sum;
  if (options_.policy.running) sum.policy = options_.policy.running->current();
  for (const auto& policy : policies_) {
    const std::lock_guard lock(policy->mutex);
    sum.add(policy->told);
  }
  return sum;
}

template <class Batch>
void CpuMeteringOf<Batch>::drain() {
  std::vector<Shard*> shards;
  const auto last = options_.policy.running ? options_.policy.running->current() : options_.policy.policy;
  for (const auto& policy : policies_) {
    policy->rounds.take_over(last);
    policy->rounds.end();
    policy->log.flush();
    policy_counters_.add(policy->rounds.counters());
  }
  for (const auto& group : groups_) {
    group->end_packets();
    for (const auto& shard : group->shards()) shards.push_back(shard.get());
  }
  if (PartialChunk noted = live_annotations(); !noted.empty()) runs_.add(std::move(noted));
  end_flows(shards, {options_.threads, options_.meter.flow_memory, batches_.watermark_ns()}, runs_, clock_);
  for (const auto& group : groups_) meter_counters_.add(group->counters());
}

template class CpuMeteringOf<SegmentBatch>;
template class CpuMeteringOf<PolicyBatch>;

}  // namespace warpmeter::inline pipeline
