#include "pipeline/metering/shards_beside_device.h"

#include <algorithm>
#include <limits>

#include "core/flow_hash.h"
#include "flow/meter/segment_line.h"

namespace warpmeter::inline pipeline {

void ShardsBesideDevice::make_shards() {
  for (unsigned s = 0; s < kShards; ++s) {
    shards_.push_back(std::make_unique<Shard>(options_, hash_seed_, *std::pmr::new_delete_resource(), hole_memory_));
    if (idle_found_ns_) shards_.back()->find_idle_flows(idle_found_ns_);
  }
  of_shard_.resize(kShards);
}

void ShardsBesideDevice::meter(const SegmentSpan& piece, const DeviceMeter::Result& result,
                               std::vector<Partial>& finished) {
  if (shards_.empty()) make_shards();
  for (const HandedOverFlow& flow : result.handed_over) {
    shards_[hash_flow(flow.state.key, hash_seed_).shard]->adopt(flow);
  }
  unpack_left(piece, result);
  for (unsigned s = 0; s < kShards; ++s) {
    meter_told(*shards_[s], left_, of_shard_[s].position, of_shard_[s].duplicate);
    of_shard_[s] = {};
    take_finished(*shards_[s], finished);
  }
  segments_ += result.overflow.size();
}

void ShardsBesideDevice::unpack_left(const SegmentSpan& piece, const DeviceMeter::Result& result) {
  left_.reset(piece.first_number);
  left_.make_room(result.overflow.size());
  for (std::size_t i = 0; i < result.overflow.size(); ++i) {
    const KeyedSegment left = piece.at(result.overflow[i]);
    const FlowHash hash = hash_flow(left.key, hash_seed_);
    of_shard_[hash.shard].position.push_back(left_.count);
    of_shard_[hash.shard].duplicate.push_back(result.duplicate[i]);
    left_.push(flow_key(left.key), hash, left.segment);
  }
}

void ShardsBesideDevice::take_finished(Shard& shard, std::vector<Partial>& finished) {
  finished.insert(finished.end(), shard.finished().begin(), shard.finished().end());
  shard.finished().clear();
}

void ShardsBesideDevice::expire(unsigned first_shard, unsigned end_shard, std::int64_t passed_ns,
                                std::vector<Partial>& finished) {
  if (shards_.empty()) return;
  for (unsigned s = first_shard; s < end_shard; ++s) {
    std::size_t looks = std::numeric_limits<std::size_t>::max();
    shards_[s]->let_idle_flows_go(passed_ns, looks);
    take_finished(*shards_[s], finished);
  }
}

std::vector<FlowOnCpu> ShardsBesideDevice::list_live(unsigned first_shard, unsigned end_shard, std::int64_t device_ns) {
  std::vector<FlowOnCpu> flows;
  if (shards_.empty()) return flows;
  std::int64_t now_ns = device_ns;
  for (unsigned s = first_shard; s < end_shard; ++s) now_ns = std::max(now_ns, shards_[s]->latest_ns());
  for (unsigned s = first_shard; s < end_shard; ++s) shards_[s]->list_live(now_ns, flows);
  return flows;
}

std::int64_t ShardsBesideDevice::latest_ns() const {
  std::int64_t latest_ns = std::numeric_limits<std::int64_t>::min();
  for (const auto& shard : shards_) latest_ns = std::max(latest_ns, shard->latest_ns());
  return latest_ns;
}

std::uint64_t ShardsBesideDevice::live() const {
  std::uint64_t live = 0;
  for (const auto& shard : shards_) live += shard->live();
  return live;
}

bool ShardsBesideDevice::drain(std::int64_t trace_end_ns, std::size_t most, std::vector<Partial>& finished) {
  if (drained_ == shards_.size()) return false;
  Shard& shard = *shards_[drained_];
  if (!shard.drain(trace_end_ns, most)) ++drained_;
  take_finished(shard, finished);
  return true;
}

MeterCounters ShardsBesideDevice::counters() const {
  MeterCounters counters;
  for (const auto& shard : shards_) counters.add(shard->counters());
  counters.on_cpu = segments_;
  return counters;
}

}  // namespace warpmeter::inline pipeline
