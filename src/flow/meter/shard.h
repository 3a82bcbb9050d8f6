// The Metering Process for one shard: all flows whose keys hash to it, from segments to finished partials. Before it
// stands the fast form of what it does with nearly every segment, and the store of what strays have. Segments
// come one by one, by way of segment_line.h.
//
// What a shard does depends on its own packets and its own budget alone, never on how packets are batched or which
// thread brings them: that is why the output is the same for any number of threads.
//
// Threads: one at a time; it may be another one for every batch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/annex.h"
#include "core/counters.h"
#include "core/flow_on_cpu.h"
#include "core/flow_rules.h"
#include "core/flow_sample.h"
#include "core/flow_state.h"
#include "core/options.h"
#include "core/partial.h"
#include "core/segment.h"
#include "core/sequence_numbers.h"
#include "core/stray.h"
#include "core/verdict.h"
#include "flow/meter/expiry_wheel.h"
#include "flow/meter/flow_table.h"
#include "flow/meter/hole_store.h"
#include "flow/meter/segment_table.h"

namespace warpmeter::inline flow {

// The fast form of judge() and apply() for most packets of most captures: the next of a flow that goes on, and of TCP
// the next in order. What is_in_order() takes, apply_in_order() does as they do (tests/flow/meter/in_order_test.cc);
// any other packet is theirs. A GPU sums many of these at once (core/segment_sum.h).

// A TCP segment that begins where the flow has come to and opens, closes and resets nothing. (It would drop a
// candidate.)
template <class State>
inline bool continues(const State& f, const Segment& s) {
  return is_at(s.sequence, f.highest) && !(s.flags & (kSyn | kFin | kRst)) &&
         (f.bits & (kRangeKnown | kCandidate)) == kRangeKnown;
}

// Nothing of it needs more than the first half of the state. REQUIRES: the state is in use, and the segment's; method
// exact; no duplicate.
template <class State>
inline bool is_in_order(const State& f, const Segment& s, const Timeouts& timeouts, std::uint32_t full_counter) {
  return (!is_tcp(s) || continues(f, s)) && s.time_ns >= f.start_ns && !is_full(f, s, full_counter) &&
         boundary_before(f.start_ns, f.end_ns, {}, {s.time_ns, s.sequence, false}, timeouts) == Boundary::none;
}

// REQUIRES: is_in_order().
template <class State>
inline Verdict apply_in_order(State& f, const Segment& s) {
  Verdict v;
  if (s.time_ns > f.end_ns) f.end_ns = s.time_ns;
  ++f.packets;
  add_to(f.bytes, s.length);
  if (!is_tcp(s)) return v;
  v.kind = Verdict::Kind::in_order;
  v.place = SpanPlace::next;
  v.start = f.highest;
  f.highest += s.payload_length;
  add_to(f.payload_bytes, s.payload_length);
  add_to(f.data_segments, s.payload_length > 0);
  f.tcp_flags |= s.flags;
  if (s.window == 0) ++f.zero_window_count;
  return v;
}

// Where a shard keeps what flows with strays have beside their state (stray.h). A flow without has handle 0 and nothing
// here.
//
// Threads: one owner (a shard).
class StrayStore {
 public:
  // `memory` must outlive it.
  explicit StrayStore(std::pmr::memory_resource& memory = *std::pmr::new_delete_resource()) : states_(&memory) {}

  // That of a flow, which is made if there is none: then `handle` changes.
  StrayState& of(std::uint32_t& handle) {
    if (!handle) handle = make();
    return states_[handle - 1];
  }

  // REQUIRES: a handle other than 0.
  const StrayState& at(std::uint32_t handle) const { return states_[handle - 1]; }

  void release(std::uint32_t& handle) {
    if (handle) free_.push_back(handle);
    handle = 0;
  }

 private:
  std::uint32_t make() {
    if (free_.empty()) {
      states_.emplace_back();
      return static_cast<std::uint32_t>(states_.size());
    }
    const std::uint32_t handle = free_.back();
    free_.pop_back();
    states_[handle - 1] = {};
    return handle;
  }

  std::pmr::deque<StrayState> states_;  // that of handle h at h - 1
  std::vector<std::uint32_t> free_;     // handles
};

class Shard {
 public:
  // Flow states lie in `memory`, holes and strays in `hole_memory`; both must outlive the shard. `annexes`: each flow
  // has one; all packets come by way of take_noting().
  Shard(const MeterOptions& options, const HashSeed& hash_seed,
        std::pmr::memory_resource& memory = *std::pmr::new_delete_resource(),
        std::pmr::memory_resource& hole_memory = *std::pmr::new_delete_resource(), bool annexes = false);

  // Meters packet `number` and says what it was. Packets must come in trace order. `likely`: what prefetch_state()
  // gave, or null.
  Verdict take(const FlowKey& key, std::uint64_t hash, const Segment& segment, std::uint64_t number, bool duplicate,
               CompactFlowState* likely = nullptr);
  // The same, with all that it saw of the packet. `duplicate_of`: nothing, if it is no duplicate.
  JudgedPacket judge(const FlowKey& key, std::uint64_t hash, const Segment& segment, std::uint64_t number,
                     std::optional<std::uint64_t> duplicate_of, CompactFlowState* likely = nullptr);

  // The same as take(), which sets the annex of a flow, or its part, that begins with the packet, and takes its first
  // SYN if that comes later. `read()` gives the Annex of the packet. REQUIRES: annexes.
  template <class Read>
  Verdict take_noting(const FlowKey& key, std::uint64_t hash, const Segment& segment, std::uint64_t number,
                      bool duplicate, CompactFlowState* likely, const Read& read);

  // Ask for what take() will look at, one after the other: the second follows what the first asked for. Returns the
  // flow of the key, perhaps; `whole`: what is seldom touched will be wanted too.
  void prefetch_index(std::uint64_t hash) const { table_.prefetch_index(hash); }
  CompactFlowState* prefetch_state(std::uint64_t hash, bool whole) const { return table_.prefetch_state(hash, whole); }

  // Goes on with a flow that was metered elsewhere until now. REQUIRES: the key hashes to this shard; no flow of it
  // lives here, but for one that has been idle for long.
  void adopt(const CpuTakeover& flow);

  // Lets the flows go that are idle by the trace's time, and adds those that live to `flows`.
  void list_live(std::int64_t trace_ns, std::vector<FlowOnCpu>& flows);

  // From here on expire_idle() finds idle flows, at most `slot_ns` after they are idle. REQUIRES: no flow lives
  // yet.
  void find_idle_flows(std::int64_t slot_ns);

  // Lets flows go that are idle at this time. REQUIRES: all packets before it have been metered. Takes one of `looks`
  // for each flow that it looks at, and stops when there are none left: false. Where a clock was set back, a flow whose
  // latest packet lies ahead of this time goes when it has stood still for the idle timeout.
  bool expire_idle(std::int64_t watermark_ns, std::size_t& looks);

  // Ends the flows that are not in this sample, of which nothing more will come: for lack of resources, and whatever
  // their keys bring later is another flow.
  void end_flows_outside(const FlowSample& sample);

  // Ends up to `most` of the flows that still live. Call until it returns false; no meter() after that.
  // `trace_end_ns`: the latest packet time of the whole trace.
  bool drain(std::int64_t trace_end_ns, std::size_t most);

  // Or, instead of drain(), once finished() is taken away: the flows that still live stay, by numbers from 0 to
  // numbers() - 1, to be read from any thread. What only metering needed is freed; no meter() after that.
  void stop_metering();
  std::size_t numbers() const { return table_.states(); }
  std::size_t live() const { return table_.live(); }
  bool lives(std::size_t number) const { return table_.state(number).bits & kInUse; }
  const FlowKey& key_of(std::size_t number) const { return table_.state(number).key; }
  Partial last_partial_of(std::size_t number, std::int64_t trace_end_ns) const;
  bool has_annexes() const { return table_.has_annexes(); }
  const Annex& annex_of(std::size_t number) const { return FlowTable::annex_of(table_.state(number)); }
  void prefetch(std::size_t number) const { table_.prefetch(number); }

  // Also while it meters, by whoever does: what a live flow, or its part since it was cut last, has had so far, and
  // which one that is: `arrival` is another for each.
  std::uint64_t bytes_of(std::size_t number) const;
  std::uint64_t arrival_of(std::size_t number) const { return table_.state(number).arrival; }
  // The same of the live flow of a key, if there is one; `hash`: of the key.
  std::optional<std::uint64_t> arrival_of(const FlowKey& key, std::uint64_t hash) {
    const CompactFlowState* const flow = table_.find(key, hash);
    return flow ? std::optional(flow->arrival) : std::nullopt;
  }

  // Partials of flows that have ended, for the caller to take away.
  std::vector<Partial>& finished() { return finished_; }
  std::vector<Annex>& finished_annexes() { return finished_annexes_; }  // of each, if there are annexes
  std::size_t bytes_a_flow() const { return table_.bytes_a_state(); }

  std::int64_t latest_ns() const { return latest_ns_; }  // INT64_MIN: no packet yet
  MeterCounters counters() const;

 private:
  static CompactFlowState* known_as(CompactFlowState* likely, const FlowKey& key) {
    return likely && (likely->bits & kInUse) && likely->key == key ? likely : nullptr;
  }
  Verdict any_packet(const FlowKey& key, std::uint64_t hash, const Segment& segment, std::uint64_t number,
                     bool duplicate, CompactFlowState* known);
  // `Watch` sees the state on the way: watch.meets(flow, boundary, segment) before anything is done to it, and
  // watch.judges(flow, verdict) as it was judged.
  template <class Watch>
  Verdict meter(const FlowKey& key, std::uint64_t hash, const Segment& segment, std::uint64_t number, bool duplicate,
                CompactFlowState* known, const Watch& watch);
  Verdict judge_numbers(const Verdict& boundary, CompactFlowState& flow, std::uint64_t hash, const Segment& segment,
                        std::uint64_t number, bool duplicate);
  void confirm_candidate(CompactFlowState& flow, const Segment& segment, bool duplicate);
  void cross(CompactFlowState& flow, Boundary boundary, const NextPacket& next, std::uint64_t number);
  void apply(CompactFlowState& flow, const Segment& segment, const Verdict& verdict);
  CompactFlowState& new_state(const FlowKey& key, std::uint64_t hash, std::int64_t time_ns);
  struct Ending {
    EndReason reason;
    Removal removal;
  };
  Ending last_ending(const CompactFlowState& flow, std::int64_t trace_end_ns) const;
  void finish(CompactFlowState& flow, const Ending& ending);
  void add_finished(const CompactFlowState& flow, const Ending& ending, std::int64_t missing);
  void spill_counters(CompactFlowState& flow);
  void add_spilled(CompactFlowState& flow, const FlowRecord& counters);
  void forget_spilled(CompactFlowState& flow);
  Partial partial_of(const CompactFlowState& flow, const Ending& ending, std::int64_t missing) const;
  std::int64_t missing_of(const CompactFlowState& flow) const;
  void ends_no_earlier_than(std::int64_t time_ns) { earliest_end_ns_ = std::min(earliest_end_ns_, time_ns); }
  void make_room();
  void expire_idle(std::int64_t time_ns);
  void evict_longest_idle();
  bool is_idle_at(std::int64_t end_ns, std::int64_t time_ns) const;
  std::int64_t look_for_idle(std::uint32_t number, std::int64_t watermark_ns);
  bool stands_still(std::uint32_t number, std::int64_t watermark_ns);
  void file_all();

  const MeterOptions options_;
  const std::uint32_t full_counter_;  // packets
  const bool may_take_short_way_;     // is_in_order(): method exact
  const HashSeed hash_seed_;
  FlowTable table_;
  HoleStore holes_;
  StrayStore strays_;
  // Until metering stops.
  std::optional<SegmentTable> segments_;                                      // method five-tuple only
  std::unordered_map<const CompactFlowState*, FlowRecord> spilled_counters_;  // of states with kCountersSpilled
  std::vector<Partial> finished_;
  std::vector<Annex> finished_annexes_;
  // Of a live capture only.
  std::optional<ExpiryWheel> wheel_;
  struct Still {
    std::uint64_t had;          // packets and bytes
    std::int64_t watermark_ns;  // when it had them first
  };
  std::unordered_map<std::uint32_t, Still> ahead_;  // flows from before a clock was set back, by number
  std::int64_t latest_ns_;
  std::int64_t earliest_end_ns_;  // no live flow's latest packet is earlier; valid if there are flows
  std::size_t drained_ = 0;       // states that drain() has been through
  MeterCounters counters_;
};

inline std::uint64_t Shard::bytes_of(std::size_t number) const {
  const CompactFlowState& flow = table_.state(number);
  return flow.bits & kCountersSpilled ? spilled_counters_.at(&flow).bytes + flow.bytes : flow.bytes;
}

inline Verdict Shard::take(const FlowKey& key, std::uint64_t hash, const Segment& segment, std::uint64_t number,
                           bool duplicate, CompactFlowState* likely) {
  latest_ns_ = std::max(latest_ns_, segment.time_ns);
  CompactFlowState* const known = known_as(likely, key);
  if (known && !duplicate && may_take_short_way_ && is_in_order(*known, segment, options_.timeouts, full_counter_)) {
    return apply_in_order(*known, segment);
  }
  return any_packet(key, hash, segment, number, duplicate, known);
}

// A SYN that does not begin a flow is the flow's own that came late, unless the flow had one before.
template <class Read>
Verdict Shard::take_noting(const FlowKey& key, std::uint64_t hash, const Segment& segment, std::uint64_t number,
                           bool duplicate, CompactFlowState* likely, const Read& read) {
  const Verdict verdict = take(key, hash, segment, number, duplicate, likely);
  const bool begins = verdict.boundary != Boundary::none;
  if (!begins && (duplicate || !is_opening(segment))) return verdict;
  CompactFlowState* const known = known_as(likely, key);
  CompactFlowState& flow = known ? *known : *table_.find(key, hash);
  if (begins) FlowTable::annex_of(flow) = read();
  else if (flow.syn_count == 1) FlowTable::annex_of(flow).add_later(read());
  return verdict;
}

}  // namespace warpmeter::inline flow
