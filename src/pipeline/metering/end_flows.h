// The end of metering: all flows that still live become partials, or stay where they are until they are exported.
#pragma once

#include <cstdint>
#include <span>

#include "flow/meter/shard.h"
#include "flow/runs/live_run.h"
#include "flow/runs/run_store.h"
#include "pipeline/batches/stage_clock.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline pipeline {

struct EndOptions {
  unsigned threads = 1;
  std::uint64_t flow_memory = 0;  // bytes for flow states, of all shards together; 0: none stays
  std::int64_t watermark_ns = FrameBlock::kNothingPassed;  // that time had come when the packets ended
};

// REQUIRES: nobody meters any more. By which time flows were idle, the latest packet of all shards decides, or what has
// passed behind it.
// Where flows stay, the shards must outlive `runs`. Throws what a thread of it threw.
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
  void prefetch(std::size_t number) const override { shard_.prefetch(number); }

 private:
  const Shard& shard_;
  const std::int64_t trace_end_ns_;
};

}  // namespace warpmeter::inline pipeline
