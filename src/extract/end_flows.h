// The end of metering: all flows that still live become partials, or stay where they are until they are exported.
#pragma once

#include <cstdint>
#include <span>

#include "extract/stage_clock.h"
#include "meter/shard.h"
#include "run/run_store.h"

namespace warpmeter {

struct EndOptions {
  unsigned threads = 1;
  std::uint64_t flow_memory = 0;  // bytes for flow states, of all shards together
};

// REQUIRES: nobody meters any more. Of the time by which a flow was idle, the latest packet of all shards decides.
// Where flows stay, the shards must outlive `runs`. Throws what a thread of it threw.
void end_flows(std::span<Shard* const> shards, const EndOptions& options, RunStore& runs, StageClock& clock);

}  // namespace warpmeter
