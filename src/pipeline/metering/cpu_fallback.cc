#include "pipeline/metering/cpu_fallback.h"

#include <algorithm>
#include <limits>
#include <memory_resource>
#include <utility>

#include "core/flow_hash.h"

namespace warpmeter::inline pipeline {

CpuFallback::CpuFallback(const MeteringOptions& options, const HashSeed& hash_seed, std::size_t devices,
                         StageClock& clock, std::function<void(PartialChunk)> give_away)
    : options_(options.meter),
      hash_seed_(hash_seed),
      expire_every_ns_(options.expire_every_ns),
      clock_(clock),
      give_away_(std::move(give_away)),
      hole_memory_(hole_memory_of(options.meter), options.tmpdir),
      groups_(devices) {}

ShardGroup& CpuFallback::group_of(unsigned device) {
  if (groups_[device]) return *groups_[device];
  const ShardGroupOptions options{.meter = options_,
                                  .hash_seed = hash_seed_,
                                  .flow_memory = *std::pmr::new_delete_resource(),
                                  .hole_memory = hole_memory_,
                                  .clock = clock_,
                                  .give_away = give_away_,
                                  .expire_every_ns = expire_every_ns_,
                                  .finds_duplicates = false};
  groups_[device] = std::make_unique<ShardGroup>(options, first_shard_of(device, groups_.size()),
                                                 first_shard_of(device + 1, groups_.size()));
  return *groups_[device];
}

void CpuFallback::meter(unsigned device, const SegmentSpan& piece, const DeviceMeter::Result& result) {
  ShardGroup& group = group_of(device);
  {
    const StageClock::Scope scope(clock_, Stage::meter);
    for (const CpuTakeover& flow : result.handed_over) group.adopt(flow, hash_flow(flow.state.key, hash_seed_).shard);
    unpack_left(piece, result);
    group.meter(left_, result.duplicate);
  }
  group.flush_full();
  segments_ += result.overflow.size();
}

void CpuFallback::unpack_left(const SegmentSpan& piece, const DeviceMeter::Result& result) {
  left_.reset(piece.first_number);
  left_.make_room(result.overflow.size());
  for (const std::uint32_t place : result.overflow) {
    const KeyedSegment left = piece.at(place);
    left_.push(flow_key(left.key), hash_flow(left.key, hash_seed_), left.segment);
  }
  left_.list_by_shard();
}

void CpuFallback::expire_idle(unsigned device, std::int64_t watermark_ns) {
  if (groups_[device]) groups_[device]->expire_idle(watermark_ns);
}

std::vector<FlowOnCpu> CpuFallback::list_live(unsigned device, std::int64_t device_ns) {
  std::vector<FlowOnCpu> flows;
  if (groups_[device]) groups_[device]->list_live(device_ns, flows);
  return flows;
}

std::vector<Shard*> CpuFallback::shards() const {
  std::vector<Shard*> shards;
  for (const auto& group : groups_) {
    if (!group) continue;
    for (const auto& shard : group->shards()) shards.push_back(shard.get());
  }
  return shards;
}

std::int64_t CpuFallback::latest_ns() const {
  std::int64_t latest_ns = std::numeric_limits<std::int64_t>::min();
  for (const auto& group : groups_) {
    if (group) latest_ns = std::max(latest_ns, group->latest_ns());
  }
  return latest_ns;
}

std::uint64_t CpuFallback::live() const {
  std::uint64_t live = 0;
  for (const auto& group : groups_) live += group ? group->live() : 0;
  return live;
}

MeterCounters CpuFallback::counters() const {
  MeterCounters counters;
  for (const auto& group : groups_) {
    if (group) counters.add(group->counters());
  }
  counters.on_cpu = segments_;
  return counters;
}

}  // namespace warpmeter::inline pipeline
