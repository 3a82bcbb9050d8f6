// A block of threads: its warps, its shared memory and its barrier.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "simulator/warp.h"

namespace cuda_machine {

class RunningLaunch;

struct Extent {
  unsigned x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
  Extent place(std::uint64_t linear) const {
    return {static_cast<unsigned>(linear % x), static_cast<unsigned>(linear / x % y),
            static_cast<unsigned>(linear / x / y)};
  }
};

class Block {
 public:
  // The block with this number of a launch begins. A Block may be used for one launch after another.
  void begin(RunningLaunch& launch, std::uint64_t number);

  RunningLaunch& launch() const { return *launch_; }
  std::uint64_t number() const { return number_; }
  Extent place() const { return place_; }
  unsigned threads() const { return threads_; }
  unsigned warps() const { return warps_used_; }
  Warp& warp(unsigned index) { return *warps_[index]; }
  std::vector<std::uint8_t>& shared() { return shared_; }
  const std::vector<std::uint8_t>& shared() const { return shared_; }
  // How often all threads met at a barrier: who comes after one sees what was written before it.
  std::uint32_t barriers_passed() const { return barriers_passed_; }
  bool ended() const;

  // Lets go on who waits at a barrier for which all have come. True: somebody does.
  bool try_barriers();

 private:
  bool try_barrier(unsigned number);

  RunningLaunch* launch_ = nullptr;
  std::uint64_t number_ = 0;
  Extent place_;
  unsigned threads_ = 0, warps_used_ = 0;
  std::uint32_t barriers_passed_ = 0;
  std::vector<std::unique_ptr<Warp>> warps_;
  std::vector<std::uint8_t> shared_;
};

}  // namespace cuda_machine
