#include "pipeline/metering/shard_group.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utility>

#include "base/threads/in_threads.h"
#include "core/flow_hash.h"
#include "flow/runs/annotation_parts.h"
#include "pipeline/metering/metering_process.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline pipeline {
namespace {

// Rounded up: 0 is never, and somebody may ask for less than so many nanoseconds.
std::int64_t part_of(std::int64_t expire_every_ns) { return (expire_every_ns + kPartsOfExpiry - 1) / kPartsOfExpiry; }

constexpr std::size_t kEndedAtOnce = 256;

// Of the memory for flow states, what those may take that stay where they are until they are exported.
constexpr std::uint64_t kStayShare = 2;

// The partials of flows that have ended, each with its annex behind it, if there are any; `next` takes their place.
PartialChunk take_finished(Shard& shard, PartialChunk next) {
  PartialChunk finished = std::exchange(shard.finished(), std::move(next));
  if (shard.finished_annexes().empty()) return finished;
  PartialChunk with_annexes;
  with_annexes.reserve(2 * finished.size());
  for (std::size_t i = 0; i < finished.size(); ++i) {
    with_annexes.push_back(finished[i]);
    with_annexes.push_back(annex_part(finished[i], shard.finished_annexes()[i], finished[i].arrival));
  }
  shard.finished_annexes().clear();
  return with_annexes;
}

class FlowsEnd {
 public:
  FlowsEnd(std::span<Shard* const> shards, std::int64_t trace_end_ns, RunStore& runs, StageClock& clock)
      : shards_(shards), trace_end_ns_(trace_end_ns), runs_(runs), clock_(clock) {}

  void stay() {
    for (Shard* const shard : shards_) {
      give_finished(*shard);
      shard->stop_metering();
      runs_.add(std::make_shared<ShardFlows>(*shard, trace_end_ns_));
    }
  }

  void drain(unsigned threads) {
    for_each_index(shards_.size(), threads, [this](std::size_t s) { drain(*shards_[s]); });
  }

 private:
  void drain(Shard& shard) {
    for (bool more = true; more;) {
      {
        const StageClock::Scope scope(clock_, Stage::drain);
        more = shard.drain(trace_end_ns_, kEndedAtOnce);
      }
      give_finished(shard);
    }
  }

  void give_finished(Shard& shard) {
    const StageClock::Scope scope(clock_, Stage::spill);
    if (!shard.finished().empty()) runs_.add(take_finished(shard, {}));
  }

  const std::span<Shard* const> shards_;
  const std::int64_t trace_end_ns_;
  RunStore& runs_;
  StageClock& clock_;
};

}  // namespace

ShardGroup::ShardGroup(const ShardGroupOptions& options, unsigned first, unsigned end)
    : first_(first),
      hash_seed_(options.hash_seed),
      clock_(options.clock),
      running_(options.running),
      give_away_(options.give_away),
      expire_every_ns_(options.expire_every_ns),
      most_looks_(options.most_looks) {
  if (options.finds_duplicates) duplicates_.reserve(end - first);
  for (unsigned s = first; s < end; ++s) {
    shards_.push_back(std::make_unique<Shard>(options.meter, options.hash_seed, options.flow_memory,
                                              options.hole_memory, options.annexes));
    if (expire_every_ns_) shards_.back()->find_idle_flows(part_of(expire_every_ns_));
    if (options.finds_duplicates) duplicates_.emplace_back(options.meter.duplicates, options.hash_seed);
  }
}

void ShardGroup::meter(const SegmentBatch& batch) {
  meter(batch, batch.of_shards(first_, first_ + static_cast<unsigned>(shards_.size())));
}

void ShardGroup::meter(const SegmentBatch& batch, std::span<const ListedSegment> listed) {
  all_told_ = false;
  meter_listed(shards_, duplicates_, first_, batch, listed);
}

void ShardGroup::meter(const SegmentBatch& batch, std::span<const ListedSegment> listed, const AnnexSource& annexes) {
  all_told_ = false;
  meter_listed(shards_, duplicates_, first_, batch, listed, annexes);
}

void ShardGroup::meter(const SegmentBatch& batch, std::span<JudgedPacket> judged) {
  all_told_ = false;
  const auto listed = batch.of_shards(first_, first_ + static_cast<unsigned>(shards_.size()));
  judge_listed(shards_, duplicates_, first_, batch, listed, judged);
}

void ShardGroup::meter(const SegmentBatch& batch, std::span<const std::uint8_t> duplicate) {
  all_told_ = false;
  const auto listed = batch.of_shards(first_, first_ + static_cast<unsigned>(shards_.size()));
  meter_with_duplicate_flags(shards_, first_, batch, listed, duplicate);
}

void ShardGroup::expire_idle(std::int64_t watermark_ns) {
  if (expire_every_ns_ == 0 || watermark_ns == FrameBlock::kNothingPassed) return;
  if (!more_idle_ && std::abs(watermark_ns - looked_ns_) < part_of(expire_every_ns_)) return;
  looked_ns_ = watermark_ns;
  more_idle_ = false;
  {
    const StageClock::Scope scope(clock_, Stage::meter);
    std::size_t looks = most_looks_;
    for (std::size_t i = 0; i < shards_.size() && !more_idle_; ++i) {
      more_idle_ = !shards_[next_shard_]->expire_idle(watermark_ns, looks);
      if (!more_idle_) next_shard_ = (next_shard_ + 1) % shards_.size();
    }
  }
  flush_partials();
}

void ShardGroup::flush_partials(std::size_t least) {
  const auto has_enough = [least](const auto& shard) { return shard->finished().size() >= least; };
  if (std::ranges::none_of(shards_, has_enough)) return;
  const StageClock::Scope scope(clock_, Stage::spill);
  all_told_ = false;
  for (const auto& shard : shards_) {
    if (!has_enough(shard)) continue;
    const std::size_t ended = shard->finished().size();
    PartialChunk next;
    next.reserve(std::min(ended, kPartialsPerChunk));
    if (running_) running_->ended_flows(ended);
    give_away_(take_finished(*shard, std::move(next)));
  }
}

void ShardGroup::end_packets() {
  flush_partials();
  std::vector<DuplicateFilter>().swap(duplicates_);
}

void ShardGroup::list_live(std::int64_t other_ns, std::vector<FlowOnCpu>& flows) {
  const std::int64_t now_ns = std::max(other_ns, latest_ns());
  for (const auto& shard : shards_) shard->list_live(now_ns, flows);
}

void ShardGroup::tell_live_flows() {
  all_told_ = true;
  const std::uint64_t now = live();
  if (running_) running_->live_flows(now, std::exchange(told_live_, now));
}

std::int64_t ShardGroup::latest_ns() const {
  std::int64_t latest_ns = shards_.front()->latest_ns();
  for (const auto& shard : shards_) latest_ns = std::max(latest_ns, shard->latest_ns());
  return latest_ns;
}

// Which of the shards it is follows from the connection, which the key does not tell where it has a VLAN id.
std::optional<std::uint64_t> ShardGroup::arrival_of(const FlowKey& key) const {
  const std::uint64_t hash = hash_flow(key, hash_seed_).hash;
  std::optional<std::uint64_t> arrival;
  for (std::size_t i = 0; i < shards_.size() && !arrival; ++i) arrival = shards_[i]->arrival_of(key, hash);
  return arrival;
}

std::uint64_t ShardGroup::live() const {
  std::uint64_t live = 0;
  for (const auto& shard : shards_) live += shard->live();
  return live;
}

MeterCounters ShardGroup::counters() const {
  MeterCounters counters;
  for (const auto& shard : shards_) counters.add(shard->counters());
  return counters;
}

// Where flows stay, there are partials beside the states then, places of the sort, and sections of the output.
void end_flows(std::span<Shard* const> shards, const EndOptions& options, RunStore& runs, StageClock& clock) {
  std::int64_t trace_end_ns = options.watermark_ns;
  std::uint64_t taken = 0;
  for (const Shard* const shard : shards) {
    trace_end_ns = std::max(trace_end_ns, shard->latest_ns());
    taken += shard->live() * shard->bytes_a_flow();
  }
  FlowsEnd end(shards, trace_end_ns, runs, clock);
  const std::uint64_t room = options.flow_memory / kStayShare;
  if (room > 0 && taken <= room) end.stay();
  else end.drain(options.threads);
}

}  // namespace warpmeter::inline pipeline
