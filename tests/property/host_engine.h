// The engine of the CUDA backend on the CPU, as a setting of the program in this process.
#pragma once

#include <atomic>
#include <memory>

#include "kernels/engine_on_host.h"
#include "property/in_process.h"

namespace warpmeter::test {

inline constexpr std::uint64_t kDeviceCases = 200;  // of property_cases()

// What became of the flows, over all runs of a test.
struct EngineTally {
  std::atomic<std::uint64_t> handed_over = 0, expired = 0, taken_again = 0;
};

// What the device is like.
struct HostEngine {
  unsigned tile = 1;
  std::uint32_t piece = 64;
  std::uint32_t flows = 0;       // room in the flow table; 0 = enough
  std::uint32_t hole_units = 0;  // for holes; 0 = enough
  HostDeviceOptions device;
  EngineTally* tally = nullptr;
};

class TalliedEngine : public Engine<HostDevice> {
 public:
  TalliedEngine(std::unique_ptr<HostDevice> device, const DeviceMeterOptions& options, EngineTally* tally)
      : Engine(std::move(device), options), tally_(tally) {}
  void collect(Result& result) override {
    Engine::collect(result);
    if (!tally_) return;
    tally_->handed_over += result.handed_over.size();
    for (const Partial& record : result.finished) tally_->expired += record.removal == Removal::expired;
  }
  void take_again(std::span<const FlowOnCpu> on_cpu) override {
    Engine::take_again(on_cpu);
    if (tally_) ++tally_->taken_again;
  }

 private:
  EngineTally* const tally_;
};

inline Setting on_host_engine(Setting setting, const HostEngine& engine, Backend backend = Backend::cuda) {
  setting.backend = backend;
  setting.make_device = [engine](DeviceMeterOptions options) -> std::unique_ptr<DeviceMeter> {
    options.tile = engine.tile;
    options.piece = engine.piece;
    options.flows = engine.flows ? engine.flows : 1 << 13;
    options.hole_units = engine.hole_units ? engine.hole_units : 1 << 14;
    if (!options.meter.five_tuple.block) options.meter.five_tuple.block = 1 << 14;  // no random trace is so long
    return std::make_unique<TalliedEngine>(std::make_unique<HostDevice>(engine.device), options, engine.tally);
  };
  return setting;
}

}  // namespace warpmeter::test
