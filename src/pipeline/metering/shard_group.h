// Neighbouring shards that have one owner: it brings them batches in trace order, lets their idle flows go and gives
// away the partials of flows that have ended. A group of worker threads' tasks, a ring's thread and what a device
// leaves to the CPU all own shards this way. When the packets end, the flows that still live become partials, or stay
// where they are until they are exported (end_flows()).
//
// Threads: one at a time; it may be another one for every batch. Errors: what a shard or `give_away` throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <memory_resource>
#include <optional>
#include <span>
#include <vector>

#include "core/flow_on_cpu.h"
#include "core/options.h"
#include "core/segment_batch.h"
#include "flow/meter/duplicate_filter.h"
#include "flow/meter/segment_line.h"
#include "flow/meter/shard.h"
#include "flow/runs/run_store.h"
#include "flow/runs/sorted_runs.h"
#include "pipeline/batches/stage_clock.h"
#include "pipeline/metering/running_counts.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline pipeline {

// What is referred to must outlive the group, `meter` and `hash_seed` excepted.
struct ShardGroupOptions {
  const MeterOptions& meter;
  const HashSeed& hash_seed;
  std::pmr::memory_resource& flow_memory;
  std::pmr::memory_resource& hole_memory;
  StageClock& clock;
  RunningCounters* running = nullptr;           // null: somebody else counts
  std::function<void(PartialChunk)> give_away;  // takes partials, by the thread that has the group
  std::int64_t expire_every_ns = 0;             // how much later than it is idle a flow goes; 0: never by time alone
  std::size_t most_looks = std::numeric_limits<std::size_t>::max();  // at flows, in a call of expire_idle()
  bool finds_duplicates = true;                                      // else batches bring flags
  bool annexes = false;                                              // each flow has one, which goes with its partials
};

class ShardGroup {
 public:
  // Shards hold back fewer finished partials than that each, until flush_partials().
  static constexpr std::size_t kPartialsPerChunk = 256;

  // Shards first .. end-1.
  ShardGroup(const ShardGroupOptions& options, unsigned first, unsigned end);

  // Meters the segments of `batch` that hash to these shards. The caller measures the time (Stage::meter), and calls
  // flush_full() when it has metered what it has. REQUIRES: the batch is listed by shard.
  void meter(const SegmentBatch& batch);
  // The same, but only those of its segments that are `listed`.
  void meter(const SegmentBatch& batch, std::span<const ListedSegment> listed);
  // The same with annexes. REQUIRES: finds_duplicates, ShardGroupOptions::annexes.
  void meter(const SegmentBatch& batch, std::span<const ListedSegment> listed, const AnnexSource& annexes);
  // The first, which also says of each segment what it saw, in its place in the batch. REQUIRES: finds_duplicates.
  void meter(const SegmentBatch& batch, std::span<JudgedPacket> judged);
  // With a flag for each segment of the batch, not 0 for a duplicate. REQUIRES: not finds_duplicates.
  void meter(const SegmentBatch& batch, std::span<const std::uint8_t> duplicate);
  // Goes on with a flow that was metered elsewhere until now (Shard::adopt()).
  void adopt(const CpuTakeover& flow, unsigned shard) { shards_[shard - first_]->adopt(flow); }

  // Lets the flows go that are idle when this time has passed, and gives all partials away; not more often than flows
  // have to be found. Where it could not look at all of them, has_more_idle(), and the next call goes on. REQUIRES: all
  // packets before that time have been metered.
  void expire_idle(std::int64_t watermark_ns);
  bool has_more_idle() const { return more_idle_; }

  // Gives away the partials of shards that have at least so many.
  void flush_partials(std::size_t least = 1);
  void flush_full() { flush_partials(kPartialsPerChunk); }

  // No packet comes any more: gives away all partials, and frees what looks for duplicates.
  void end_packets();

  // Lets idle flows go by the latest time of these shards and `other_ns`, and adds those that live to `flows`. Their
  // partials stay until the next flush.
  void list_live(std::int64_t other_ns, std::vector<FlowOnCpu>& flows);

  // Tells `running` how many flows live. is_all_told(): nothing has changed since.
  void tell_live_flows();
  bool is_all_told() const { return all_told_; }

  const std::vector<std::unique_ptr<Shard>>& shards() const { return shards_; }
  // Of the live flow of this key, if there is one: the packet that it, or its part, begins with.
  std::optional<std::uint64_t> arrival_of(const FlowKey& key) const;
  std::int64_t latest_ns() const;  // of their packets; INT64_MIN: no packet yet
  std::uint64_t live() const;      // flows
  MeterCounters counters() const;

 private:
  const unsigned first_;
  const HashSeed hash_seed_;
  StageClock& clock_;
  RunningCounters* const running_;
  const std::function<void(PartialChunk)> give_away_;
  const std::int64_t expire_every_ns_;
  const std::size_t most_looks_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::vector<DuplicateFilter> duplicates_;  // a shard each
  std::size_t next_shard_ = 0;               // to look for idle flows in
  bool more_idle_ = false;                   // than it had looks for
  std::int64_t looked_ns_ = 0;               // when it looked last
  std::uint64_t told_live_ = 0;              // flows, as `running` has them
  bool all_told_ = false;
};

struct EndOptions {
  unsigned threads = 1;
  std::uint64_t flow_memory = 0;  // bytes for flow states, of all shards together; 0: none stays
  std::int64_t watermark_ns = FrameBlock::kNothingPassed;  // that time had come when the packets ended
};

// The end of metering: all flows that still live become partials, or stay where they are until they are exported; then
// the shards must outlive `runs`. By which time flows were idle, the latest packet of all shards decides, or what has
// passed behind it. REQUIRES: nobody meters any more. Throws what a thread of it threw.
void end_flows(std::span<Shard* const> shards, const EndOptions& options, RunStore& runs, StageClock& clock);

// The flows that live in a shard when the trace has ended, for the run store.
class ShardFlows : public LiveFlows {
 public:
  // The shard must outlive this and meters nothing more.
  ShardFlows(const Shard& shard, std::int64_t trace_end_ns) : shard_(shard), trace_end_ns_(trace_end_ns) {}

  std::size_t size() const override { return shard_.live(); }
  std::size_t numbers() const override { return shard_.numbers(); }
  const FlowKey* key_of(std::size_t number) const override {
    return shard_.lives(number) ? &shard_.key_of(number) : nullptr;
  }
  Partial partial_of(std::size_t number) const override { return shard_.last_partial_of(number, trace_end_ns_); }
  bool have_annexes() const override { return shard_.has_annexes(); }
  const Annex& annex_of(std::size_t number) const override { return shard_.annex_of(number); }
  void prefetch(std::size_t number) const override { shard_.prefetch(number); }

 private:
  const Shard& shard_;
  const std::int64_t trace_end_ns_;
};

}  // namespace warpmeter::inline pipeline
