// One shard: from segments to partials.
//
// Each packet goes the same way. Find the state of its key, or make one. Judge what lies before the packet. Cross: if a
// flow or a part ends there, make a partial of it and begin anew in the same state. Spill the counters, if they could
// overflow with this packet. Confirm: if the packet goes on where a stray ended, that was none, and its numbers are
// taken now. Judge what the packet is to the numbers seen. Apply: do what the verdict says.
//
// Most packets are simpler: the next segment in order, of a flow that goes on. For these shard.h has a fast path
// (is_in_order()), which needs the first half of the state and no holes. It does what judging and applying would do.
//
// Memory has a limit, a 64th of it for each shard. When all states are in use, room is made in the order of what it
// costs: idle flows are expired, for nothing can come of them but late packets; the table grows, as far as it may; the
// longest idle flows are evicted, an eighth at a time, so that a look at every state pays. Partials of both say so,
// and the join puts together what goes on (flow/runs/join.cc).
//
// Why the output does not depend on threads: what is done here follows from the shard's own packets, in trace order,
// and from its own limit. Also the time by which flows expire is that of the shard's own packets. No clock, no other
// shard, no size of a batch comes in.
//
// States are narrow: 16 bits for packets and 32 for bytes, so that a flow takes 160 bytes. Before a counter could
// overflow, all are added to a wider record beside the table, and counting begins again from 0. Long flows do it once
// in 65,535 packets; most never do.
#include "flow/meter/shard.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/apply.h"
#include "core/flow_hash.h"
#include "core/flow_state.h"
#include "core/judge.h"
#include "core/partial_of_state.h"

namespace warpmeter::inline flow {
namespace {

// How much of the room is made free when it has run out, so that making room stays rare.
constexpr std::size_t kEvictedShare = 8;
// What packets may be ahead of the time that has passed, where no clock was set back: rings are not read in one moment.
constexpr std::int64_t kMayBeAhead = 2'000'000'000;

// Nobody asks for more than the verdict.
struct Unwatched {
  static void meets(const CompactFlowState&, Boundary, const Segment&) {}
  static void judges(const CompactFlowState&, const Verdict&) {}
};

class Watched {
 public:
  explicit Watched(JudgedPacket& packet) : packet_(packet) {}

  void meets(const CompactFlowState& flow, Boundary boundary, const Segment& segment) const {
    if (!opens_flow(boundary)) packet_.gap_ns = std::max<std::int64_t>(segment.time_ns - flow.end_ns, 0);
  }
  void judges(const CompactFlowState& flow, const Verdict& verdict) const {
    packet_.flow = flow.arrival;
    if (verdict.kind == Verdict::Kind::ahead) packet_.skipped = verdict.start - flow.highest;
  }

 private:
  JudgedPacket& packet_;
};

}  // namespace

Shard::Shard(const MeterOptions& options, const HashSeed& hash_seed, std::pmr::memory_resource& memory,
             std::pmr::memory_resource& hole_memory, bool annexes)
    : options_(options),
      full_counter_(std::min<std::uint32_t>(full_counter(), std::numeric_limits<CompactCount>::max())),
      may_take_short_way_(options.method == Method::exact),
      hash_seed_(hash_seed),
      table_(options.flow_memory / kShards / kHoleShare * (kHoleShare - 1), hash_seed, memory, annexes),
      holes_(hole_memory),
      strays_(hole_memory),
      segments_(std::in_place, options.five_tuple, hash_seed),
      latest_ns_(std::numeric_limits<std::int64_t>::min()),
      earliest_end_ns_(std::numeric_limits<std::int64_t>::max()) {}

[[gnu::always_inline]] inline Verdict Shard::judge_numbers(const Verdict& boundary, CompactFlowState& flow,
                                                           std::uint64_t hash, const Segment& segment,
                                                           std::uint64_t number, bool duplicate) {
  if (options_.method == Method::exact) {
    return warpmeter::judge_numbers(boundary, flow, segment, duplicate, FlowHoles(holes_, flow.holes));
  }
  const bool again = !duplicate && is_data(segment) && segments_->is_retransmitted(flow.key, hash, segment, number);
  return judge_by_table(boundary, flow, segment, duplicate, again);
}

void Shard::confirm_candidate(CompactFlowState& flow, const Segment& segment, bool duplicate) {
  StrayState& stray = strays_.of(flow.strays);
  if (!confirms(flow, segment, duplicate, stray)) return;
  if (options_.method == Method::exact) {
    FlowHoles holes(holes_, flow.holes);
    counters_.jumps += take_candidate(flow, stray, holes);
  } else {
    NoHoles none;
    counters_.jumps += take_candidate(flow, stray, none);
  }
}

// Ends what ends before the segment, and begins what begins with it.
[[gnu::always_inline]] inline void Shard::cross(CompactFlowState& flow, Boundary boundary, const NextPacket& next,
                                                std::uint64_t number) {
  if (boundary == Boundary::none) return;
  if (boundary != Boundary::opening) number = arrival_behind(flow, number);
  if (boundary == Boundary::active) {  // the sequence state goes on into the next part, holes included
    add_finished(flow, {EndReason::active, Removal::none}, 0);
    forget_spilled(flow);
    if (flow.strays) strays_.of(flow.strays).segments = 0;
    start_part(flow, next, number);
  } else {
    if (boundary != Boundary::opening) finish(flow, {end_reason_of(boundary), Removal::none});
    start_flow(flow, next, number);
  }
  ends_no_earlier_than(next.time_ns);
}

[[gnu::always_inline]] inline void Shard::apply(CompactFlowState& flow, const Segment& segment,
                                                const Verdict& verdict) {
  if (options_.method == Method::exact) {
    FlowHoles holes(holes_, flow.holes);
    warpmeter::apply(flow, segment, verdict, holes);
  } else {
    NoHoles none;
    warpmeter::apply(flow, segment, verdict, none);
  }
  if (verdict.kind == Verdict::Kind::stray) note_stray(flow, segment, verdict, strays_.of(flow.strays));
  counters_.duplicate_packets += verdict.kind == Verdict::Kind::duplicate;
}

// `known`: the flow of the key, if it is known already; else null.
template <class Watch>
[[gnu::always_inline]] inline Verdict Shard::meter(const FlowKey& key, std::uint64_t hash, const Segment& segment,
                                                   std::uint64_t number, bool duplicate, CompactFlowState* known,
                                                   const Watch& watch) {
  CompactFlowState* const found = known ? known : table_.find(key, hash);
  CompactFlowState& flow = found ? *found : new_state(key, hash, segment.time_ns);
  const Verdict boundary = judge_boundary(flow, segment, duplicate, options_.timeouts);
  watch.meets(flow, boundary.boundary, segment);
  cross(flow, boundary.boundary, next_packet(segment, duplicate), number);
  if (is_full(flow, segment, full_counter_)) spill_counters(flow);
  if (flow.bits & kCandidate) confirm_candidate(flow, segment, duplicate);
  const Verdict verdict = judge_numbers(boundary, flow, hash, segment, number, duplicate);
  watch.judges(flow, verdict);
  apply(flow, segment, verdict);
  return verdict;
}

Verdict Shard::any_packet(const FlowKey& key, std::uint64_t hash, const Segment& segment, std::uint64_t number,
                          bool duplicate, CompactFlowState* known) {
  return meter(key, hash, segment, number, duplicate, known, Unwatched());
}

JudgedPacket Shard::judge(const FlowKey& key, std::uint64_t hash, const Segment& segment, std::uint64_t number,
                          std::optional<std::uint64_t> duplicate_of, CompactFlowState* likely) {
  JudgedPacket packet;
  packet.duplicate_of = duplicate_of.value_or(0);
  latest_ns_ = std::max(latest_ns_, segment.time_ns);
  CompactFlowState* const known = known_as(likely, key);
  const Watched watch(packet);
  if (known && !duplicate_of && may_take_short_way_ && is_in_order(*known, segment, options_.timeouts, full_counter_)) {
    watch.meets(*known, Boundary::none, segment);
    watch.judges(*known, {});
    packet.verdict = apply_in_order(*known, segment);
  } else {
    packet.verdict = meter(key, hash, segment, number, duplicate_of.has_value(), known, watch);
  }
  return packet;
}

// Not in use yet: who asks for it begins its flow.
CompactFlowState& Shard::new_state(const FlowKey& key, std::uint64_t hash, std::int64_t time_ns) {
  if (!table_.has_room()) make_room();
  CompactFlowState& flow = table_.insert(key, hash);
  if (wheel_) wheel_->file(static_cast<std::uint32_t>(table_.newest()), time_ns + options_.timeouts.idle_ns);
  flow.bits = 0;
  counters_.peak_live_flows = std::max<std::uint64_t>(counters_.peak_live_flows, table_.live());
  return flow;
}

void Shard::adopt(const CpuTakeover& from) {
  const std::uint64_t hash = hash_flow(from.state.key, hash_seed_).hash;
  CompactFlowState* flow = table_.find(from.state.key, hash);
  if (flow) finish(*flow, {EndReason::idle, Removal::expired});
  else flow = &new_state(from.state.key, hash, from.state.end_ns);
  take_over(*flow, from.state);
  ends_no_earlier_than(flow->end_ns);
  for (const Hole& hole : from.holes) holes_.add_highest(flow->holes, hole.begin, hole.end);
  if (from.stray) strays_.of(flow->strays) = *from.stray;
  if (from.spilled_counters) add_spilled(*flow, *from.spilled_counters);
  if (from.state.packets <= full_counter_ && from.state.bytes <= std::numeric_limits<CompactBytes>::max()) {
    take_over_counters(*flow, from.state);
  } else {
    add_spilled(*flow, warpmeter::partial_of(from.state, EndReason::forced, Removal::none, {}));
  }
  counters_.duplicate_packets += from.state.duplicate_packets;
  if (from.spilled_counters) counters_.duplicate_packets += from.spilled_counters->duplicate_packets;
  // The shard's time stays: packets of other flows may come that were captured before this one's latest.
}

void Shard::list_live(std::int64_t trace_ns, std::vector<FlowOnCpu>& flows) {
  expire_idle(trace_ns);
  for (std::size_t number = 0; number < table_.states(); ++number) {
    const CompactFlowState& flow = table_.state(number);
    if (flow.bits & kInUse) flows.push_back({flow.key, flow.end_ns});
  }
}

void Shard::add_finished(const CompactFlowState& flow, const Ending& ending, std::int64_t missing) {
  finished_.push_back(partial_of(flow, ending, missing));
  if (table_.has_annexes()) finished_annexes_.push_back(FlowTable::annex_of(flow));
}

// The flow has ended: its holes are what is missing for good.
void Shard::finish(CompactFlowState& flow, const Ending& ending) {
  add_finished(flow, ending, missing_of(flow));
  forget_spilled(flow);
  holes_.release(flow.holes);
  strays_.release(flow.strays);
}

// In all number spaces.
std::int64_t Shard::missing_of(const CompactFlowState& flow) const {
  return holes_.missing_in_all(flow.holes) + (flow.strays ? strays_.at(flow.strays).missing_before : 0);
}

void Shard::spill_counters(CompactFlowState& flow) {
  add_spilled(flow, warpmeter::partial_of(flow, EndReason::forced, Removal::none, {}));
  zero_counters(flow);
}

void Shard::add_spilled(CompactFlowState& flow, const FlowRecord& counters) {
  const auto [spilled, first] = spilled_counters_.try_emplace(&flow, counters);
  if (!first) add_counters(spilled->second, counters);
  flow.bits |= kCountersSpilled;
}

void Shard::forget_spilled(CompactFlowState& flow) {
  if (!(flow.bits & kCountersSpilled)) return;
  spilled_counters_.erase(&flow);
  flow.bits &= static_cast<std::uint16_t>(~kCountersSpilled);
}

// All counters, spilled ones too.
Partial Shard::partial_of(const CompactFlowState& flow, const Ending& ending, std::int64_t missing) const {
  const std::uint64_t strays = flow.strays ? strays_.at(flow.strays).segments : 0;
  Partial partial = warpmeter::partial_of(flow, ending.reason, ending.removal, {missing, strays});
  if (flow.bits & kCountersSpilled) add_counters(partial, spilled_counters_.at(&flow));
  return partial;
}

bool Shard::is_idle_at(std::int64_t end_ns, std::int64_t time_ns) const {
  return options_.timeouts.idle_ns && time_ns - end_ns > options_.timeouts.idle_ns;
}

// Idle flows leave first; then the table grows, as far as it may; then the longest idle flows are evicted. Also where
// idle flows left, but few: each packet could make one more idle, and cost a look at every state.
void Shard::make_room() {
  const std::size_t before = table_.live();
  expire_idle(latest_ns_);
  // Little was gained: without more room the next sweep would come too soon.
  if (table_.live() < before && table_.live() > before / 4 * 3) table_.grow();
  if (table_.room_left() > table_.live() / kEvictedShare) return;
  if (table_.grow() && table_.has_room()) return;
  evict_longest_idle();
}

// A look at every state, which is saved where none can be idle.
void Shard::expire_idle(std::int64_t time_ns) {
  const std::size_t before = table_.live();
  if (before == 0 || !is_idle_at(earliest_end_ns_, time_ns)) return;
  earliest_end_ns_ = std::numeric_limits<std::int64_t>::max();
  for (std::size_t number = 0; number < table_.states(); ++number) {
    CompactFlowState& flow = table_.state(number);
    if (!(flow.bits & kInUse)) continue;
    if (is_idle_at(flow.end_ns, time_ns)) {
      finish(flow, {EndReason::idle, Removal::expired});
      table_.release(number);
    } else {
      earliest_end_ns_ = std::min(earliest_end_ns_, flow.end_ns);
    }
  }
  counters_.expired += before - table_.live();
  if (table_.live() == before) return;
  table_.rebuild_index();
  file_all();
}

void Shard::evict_longest_idle() {
  std::vector<std::pair<std::int64_t, std::uint32_t>> by_end;
  by_end.reserve(table_.live());
  for (std::size_t number = 0; number < table_.states(); ++number) {
    const CompactFlowState& flow = table_.state(number);
    if (flow.bits & kInUse) by_end.emplace_back(flow.end_ns, static_cast<std::uint32_t>(number));
  }
  const std::size_t leaving = std::max<std::size_t>(1, by_end.size() / kEvictedShare);
  std::nth_element(by_end.begin(), by_end.begin() + static_cast<std::ptrdiff_t>(leaving) - 1, by_end.end());
  for (std::size_t i = 0; i < leaving; ++i) {
    finish(table_.state(by_end[i].second), {EndReason::lack_of_resources, Removal::evicted});
    table_.release(by_end[i].second);
  }
  counters_.evicted += leaving;
  table_.rebuild_index();
  file_all();
}

void Shard::end_flows_outside(const FlowSample& sample) {
  const std::size_t before = table_.live();
  for (std::size_t number = 0; number < table_.states(); ++number) {
    CompactFlowState& flow = table_.state(number);
    if (!(flow.bits & kInUse) || sample.takes(hashed_key(flow.key))) continue;
    finish(flow, {EndReason::lack_of_resources, Removal::none});
    table_.release(number);
  }
  if (table_.live() == before) return;
  counters_.left_sample += before - table_.live();
  table_.rebuild_index();
  file_all();
}

void Shard::find_idle_flows(std::int64_t slot_ns) {
  if (options_.timeouts.idle_ns) wheel_.emplace(slot_ns);
}

bool Shard::expire_idle(std::int64_t watermark_ns, std::size_t& looks) {
  if (!wheel_) return true;
  return wheel_->turn(
      watermark_ns, looks, [this](std::uint32_t number) { table_.prefetch(number); },
      [&](std::uint32_t number) { return look_for_idle(number, watermark_ns); });
}

std::int64_t Shard::look_for_idle(std::uint32_t number, std::int64_t watermark_ns) {
  CompactFlowState& flow = table_.state(number);
  const bool is_ahead = flow.end_ns - watermark_ns > kMayBeAhead;
  if (is_idle_at(flow.end_ns, watermark_ns) || (is_ahead && stands_still(number, watermark_ns))) {
    finish(flow, {EndReason::idle, Removal::expired});
    table_.erase(number);
    ++counters_.expired;
  }
  if (!ahead_.empty() && (!is_ahead || !lives(number))) ahead_.erase(number);
  if (!lives(number)) return ExpiryWheel::kGone;
  return std::min(flow.end_ns, watermark_ns) + options_.timeouts.idle_ns;
}

// Has it had no packet for the idle timeout, as far as could be seen?
bool Shard::stands_still(std::uint32_t number, std::int64_t watermark_ns) {
  const CompactFlowState& flow = table_.state(number);
  const Still now{std::uint64_t{flow.bytes} << 16 | flow.packets, watermark_ns};
  Still& before = ahead_.try_emplace(number, now).first->second;
  if (before.had != now.had || watermark_ns < before.watermark_ns) before = now;
  return is_idle_at(before.watermark_ns, watermark_ns);
}

// After many went at once.
void Shard::file_all() {
  if (!wheel_) return;
  wheel_->clear();
  ahead_.clear();
  for (std::size_t number = 0; number < table_.states(); ++number) {
    if (!lives(number)) continue;
    wheel_->file(static_cast<std::uint32_t>(number), table_.state(number).end_ns + options_.timeouts.idle_ns);
  }
}

void Shard::stop_metering() {
  table_.free_index();
  segments_.reset();
  std::vector<Partial>().swap(finished_);
  std::vector<Annex>().swap(finished_annexes_);
}

// A device may have had later packets of an idle flow's key, as it would have if the flow had expired.
Shard::Ending Shard::last_ending(const CompactFlowState& flow, std::int64_t trace_end_ns) const {
  if (is_idle_at(flow.end_ns, trace_end_ns)) return {EndReason::idle, Removal::expired};
  return {EndReason::forced, Removal::none};
}

Partial Shard::last_partial_of(std::size_t number, std::int64_t trace_end_ns) const {
  const CompactFlowState& flow = table_.state(number);
  return partial_of(flow, last_ending(flow, trace_end_ns), missing_of(flow));
}

bool Shard::drain(std::int64_t trace_end_ns, std::size_t most) {
  for (; drained_ < table_.states() && most > 0; ++drained_) {
    CompactFlowState& flow = table_.state(drained_);
    if (!(flow.bits & kInUse)) continue;
    finish(flow, last_ending(flow, trace_end_ns));
    --most;
  }
  return drained_ < table_.states();
}

MeterCounters Shard::counters() const {
  MeterCounters counters = counters_;
  counters.dropped_holes = holes_.dropped();
  return counters;
}

}  // namespace warpmeter::inline flow
