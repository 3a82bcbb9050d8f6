// Counts what a launch asks of a GPU's memory, with a model of its caches: an L1 a multiprocessor, for weak reads; one
// L2, where everything else happens. Source: NVIDIA, "CUDA C++ Programming Guide", "Global Memory" of the compute
// capabilities.
//
// What it leaves out: that blocks run at the same time on all multiprocessors and share the L2 as they do, what ptxas
// makes of the PTX, address translation, and bank conflicts of shared memory.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simulator/cache_model.h"
#include "simulator/warp.h"

namespace cuda_machine {

// Of all launches of a kernel, or of some.
struct MemoryCounts {
  std::uint64_t reads = 0, writes = 0, atomics = 0;  // instructions of warps
  std::uint64_t read_sectors = 0;                    // that warps asked for
  std::uint64_t l2_read_sectors = 0;                 // of these, not in an L1
  std::uint64_t l2_write_sectors = 0, atomic_sectors = 0;
  std::uint64_t dram_read_sectors = 0, dram_write_sectors = 0;
  std::uint64_t atomic_operations = 0;  // of lanes
  std::uint64_t atomics_in_a_row = 0;   // the most at one address, of each launch
  std::uint64_t lanes = 0;              // that took part in instructions
};

// Of a GPU; its L2 stays from launch to launch.
class MemoryTraffic {
 public:
  MemoryTraffic();

  void begin_launch(MemoryCounts& counts);
  void end_launch();
  void add_lanes(LaneMask lanes);
  // These lanes of a warp read, write or update bytes at a base and the instruction's offset. Of global memory alone is
  // anything counted.
  void access(const Warp& warp, const Instruction& instruction, LaneMask lanes, const Warp::Values& base);
  // Copied or filled.
  void overwritten(std::uint64_t address, std::uint64_t bytes) { l2_.forget(address, bytes); }

 private:
  void collect_sectors(const Instruction& instruction, LaneMask lanes, const Warp::Values& base);
  void read(CacheModel* l1);
  void write();
  void update(const Instruction& instruction, LaneMask lanes, const Warp::Values& base);
  void use_l2(const CacheModel::Outcome& outcome, bool brings);

  CacheModel l2_;
  std::vector<CacheModel> l1_;  // by multiprocessor
  MemoryCounts* counts_ = nullptr;
  std::unordered_map<std::uint64_t, std::uint64_t> atomics_at_;  // of the launch, by address
  std::vector<std::uint64_t> sectors_;                           // of one instruction, each once
};

}  // namespace cuda_machine
