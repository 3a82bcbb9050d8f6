#include "kernels/engine_on_host.h"
#include "property/engine_under_test.h"

namespace warpmeter::test {

std::unique_ptr<DeviceMeter> make_meter(const EngineUnderTest& engine, const DeviceMeterOptions& options) {
  return std::make_unique<Engine<HostDevice>>(
      std::make_unique<HostDevice>(HostDeviceOptions{
          .threads = engine.threads, .seed = engine.seed, .memory = engine.memory, .fails_at = engine.fails_at}),
      options);
}

}  // namespace warpmeter::test
