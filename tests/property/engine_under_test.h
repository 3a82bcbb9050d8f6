// The engine of the CUDA backend without a GPU, as a setting of the program in this process: on the CPU
// (engine_on_cpu.cc), or what nvcc made of it on the CUDA machine in software (engine_on_machine.cc), as it is linked.
#pragma once

#include <memory>

#include "property/in_process.h"
#include "property/tallied_meter.h"

namespace warpmeter::test {

inline constexpr std::uint64_t kDeviceCases = 200;  // of property_cases()

// What it and its device are like.
struct EngineUnderTest {
  unsigned tile = 1;
  std::uint32_t piece = 64;
  std::uint32_t flows = 0;       // room in the flow table; 0 = enough
  std::uint32_t hole_units = 0;  // for holes; 0 = enough
  // Of the CPU as device, kernels/host_device.h; the machine has settings of its own.
  unsigned threads = 1;
  std::uint64_t seed = 1;
  std::size_t memory = 1 << 28;
  std::uint64_t fails_at = 0;
  MeterTally* tally = nullptr;
};

std::unique_ptr<DeviceMeter> make_meter(const EngineUnderTest& engine, const DeviceMeterOptions& options);

inline Setting on_engine_under_test(Setting setting, const EngineUnderTest& engine, Backend backend = Backend::cuda) {
  setting.backend = backend;
  setting.make_device = [engine](DeviceMeterOptions options) {
    options.tile = engine.tile;
    options.piece = engine.piece;
    options.flows = engine.flows ? engine.flows : 1 << 13;
    options.hole_units = engine.hole_units ? engine.hole_units : 1 << 14;
    if (!options.meter.five_tuple.block) options.meter.five_tuple.block = 1 << 14;  // no random trace is so long
    std::unique_ptr<DeviceMeter> meter = make_meter(engine, options);
    if (engine.tally) meter = std::make_unique<TalliedMeter>(std::move(meter), *engine.tally);
    return meter;
  };
  return setting;
}

}  // namespace warpmeter::test
