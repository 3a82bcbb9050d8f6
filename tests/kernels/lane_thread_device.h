// A device that is the CPU itself, as HostDevice, with the lanes of larger tiles as threads: for ThreadSanitizer.
#pragma once

#include "kernels/host_device.h"
#include "kernels/thread_tile.h"

namespace warpmeter::test {

template <unsigned kLanes>
class LaneThreadDevice : public HostDevice {
 public:
  explicit LaneThreadDevice(unsigned tiles) : HostDevice({.threads = 2}), tiles_(tiles) {}

  template <class Kernel>
  void launch(const Kernel& kernel, std::uint32_t count) {
    HostDevice::launch(kernel, count);
  }
  // REQUIRES: tile is 1 or kLanes.
  template <class Kernel>
  void launch(const Kernel& kernel, std::uint32_t count, unsigned tile) {
    if (tile == kLanes) run_in_lane_threads<kLanes>(kernel, count, tiles_);
    else HostDevice::launch(kernel, count, tile);
  }

 private:
  const unsigned tiles_;  // at work at a time
};

}  // namespace warpmeter::test
