// The kernels for tiles of several lanes, on the CPU. Compiled once (engine_on_host.cc) and not in every test that runs
// them: each of them for every tile size, with lanes as fibers, takes seconds.
#pragma once

#include "find_flows.cuh"
#include "find_retransmissions.cuh"
#include "kernels/host_device.h"
#include "mark_segments.cuh"
#include "meter_flows.cuh"
#include "rehash_flow_table.cuh"

#define WARPMETER_TILED_KERNELS(INSTANCE) \
  INSTANCE(ClaimFlows)                    \
  INSTANCE(MarkSegments)                  \
  INSTANCE(RehashFlowTable)               \
  INSTANCE(InsertSegments)                \
  INSTANCE(SumPieces<Method::exact>)      \
  INSTANCE(SumPieces<Method::five_tuple>) \
  INSTANCE(MeterFlows<Method::exact>)     \
  INSTANCE(MeterFlows<Method::five_tuple>)

namespace warpmeter {

#define WARPMETER_INSTANCE(Kernel) \
  extern template void test::HostDevice::launch(const Kernel&, std::uint32_t, unsigned);
WARPMETER_TILED_KERNELS(WARPMETER_INSTANCE)
#undef WARPMETER_INSTANCE

}  // namespace warpmeter
