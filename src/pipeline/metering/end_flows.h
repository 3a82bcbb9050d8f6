// The end of metering: all flows that still live become partials, or stay where they are until they are exported.
#pragma once

#include <cstdint>
#include <span>

#include "flow/meter/shard.h"
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

}  // namespace warpmeter::inline pipeline
