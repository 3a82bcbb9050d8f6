// A launch that runs: its blocks, its time, its random numbers.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/launch.h"
#include "simulator/memory_traffic.h"
#include "simulator/race_check.h"
#include "simulator/settings.h"

namespace cuda_machine {

class RunningLaunch {
 public:
  explicit RunningLaunch(const Launch& launch);
  ~RunningLaunch();

  // Until all threads have ended. Throws KernelFault.
  void run();

  const Launch& launch() const { return launch_; }
  const Kernel& kernel() const { return *launch_.kernel; }
  Random& random() { return random_; }
  RaceCheck* races() { return races_ ? &*races_ : nullptr; }
  // Whether races with the work of other streams are looked for.
  bool checks_streams() const { return checks_streams_; }

  // Null where nothing is counted.
  MemoryTraffic* traffic() { return traffic_; }

  // Instructions of warps so far. What is stalled waits for it to grow.
  std::uint64_t steps() const { return steps_; }
  void add_steps(std::uint64_t steps) { steps_ += steps; }

  // The allocation in which the byte lies, or null.
  Allocation* find(std::uint64_t address);
  // What find() found last, or null.
  Allocation* last_found() const { return recent_[0]; }

 private:
  void let_blocks_in();
  void retire_blocks();
  void run_some();
  bool run_round(Block& block);
  void run_random_warp();
  bool anyone_can_go_on();
  [[noreturn]] void give_up();

  const Launch& launch_;
  Random random_;
  std::unique_ptr<RaceCheck> races_;
  const bool checks_streams_;
  MemoryTraffic* const traffic_;
  std::uint64_t next_block_ = 0, steps_ = 0;
  std::size_t turn_ = 0;
  std::vector<std::unique_ptr<Block>> resident_;
  std::array<Allocation*, 4> recent_{};  // found lately, the last one first
};

}  // namespace cuda_machine
