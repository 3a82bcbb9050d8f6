// Runs one kernel launch.
#pragma once

#include <cstdint>
#include <vector>

#include "simulator/block.h"
#include "simulator/memory.h"
#include "simulator/module.h"
#include "simulator/stream_order.h"

namespace cuda_machine {

class LaunchCounts;

struct Launch {
  const Kernel* kernel = nullptr;
  Extent grid, block;
  unsigned dynamic_shared = 0;           // bytes
  std::vector<std::uint8_t> parameters;  // as Kernel::parameters says
  const AddressSpace* memory = nullptr;  // of the GPU
  const AddressSpace* pinned = nullptr;  // of the host; may be null
  const StreamOrder* order = nullptr;    // null: it is not part of a stream
  Work work;                             // which of a stream's it is
  LaunchCounts* counts = nullptr;        // null: nothing is counted
};

// Runs all blocks until their threads have ended, by the settings. Throws KernelFault (finding.h), which has been
// reported. One launch at a time in a process.
void run(const Launch& launch);

}  // namespace cuda_machine
