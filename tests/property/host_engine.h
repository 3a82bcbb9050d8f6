// The engine of the CUDA backend on the CPU, as a setting of the program in this process.
#pragma once

#include <memory>

#include "engine.cuh"
#include "kernels/host_device.h"
#include "property/in_process.h"

namespace warpmeter::test {

// What the device is like.
struct HostEngine {
  unsigned tile = 1;
  std::uint32_t piece = 64;
  std::uint32_t flows = 0;  // room in the flow table; 0 = enough
  HostDeviceOptions device;
};

inline Setting on_host_engine(Setting setting, const HostEngine& engine, Backend backend = Backend::cuda) {
  setting.backend = backend;
  setting.make_device = [engine](DeviceMeterOptions options) -> std::unique_ptr<DeviceMeter> {
    options.tile = engine.tile;
    options.piece = engine.piece;
    options.flows = engine.flows ? engine.flows : 1 << 13;
    if (!options.meter.five_tuple.block) options.meter.five_tuple.block = 1 << 14;  // no random trace is so long
    return std::make_unique<Engine<HostDevice>>(std::make_unique<HostDevice>(engine.device), options);
  };
  return setting;
}

}  // namespace warpmeter::test
