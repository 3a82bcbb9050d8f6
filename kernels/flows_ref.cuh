// The flows on the device as the kernels that meter see them: states by flow id, their holes and strays, where what
// leaves the device goes, and what decides where a flow ends.
//
// Shape: a Ref is passed to kernels by value; the engine owns the memory.
#pragma once

#include <cstdint>

#include "batch_counts.cuh"
#include "core/options.h"
#include "core/stray.h"
#include "device_output.cuh"
#include "flow_table.cuh"
#include "hole_pool.cuh"

namespace warpmeter {

struct FlowsRef {
  FlowState* state;
  FlowRoom* room;
  StrayState* stray;  // by flow id; valid where the state has strays
  HolePoolRef holes;  // method exact only
  LeavingSink sink;
  Timeouts timeouts;
  std::uint32_t full_counter;
  std::uint32_t block;   // number of the present memory block; method five-tuple only
  std::uint32_t* jumps;  // how many flows went on with other sequence numbers
  OverflowList overflow;

  // Method five-tuple: until the block that had the flow's latest segment is forgotten, segment tables name the flow's
  // id.
  static constexpr std::uint32_t kBlocksRemembered = 2;
  WARPMETER_HD bool is_remembered(const FlowState& f) const { return block - f.block < kBlocksRemembered; }
};

}  // namespace warpmeter
