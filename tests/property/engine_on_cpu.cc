#include <algorithm>

#include "kernels/engine_on_host.h"
#include "property/engine_under_test.h"

namespace warpmeter::test {
namespace {

// Starting threads for each kernel takes longer than the kernels; ThreadSanitizer wants them.
unsigned threads_of(const EngineUnderTest& engine) {
#if defined(__SANITIZE_THREAD__)
  return engine.threads;
#else
  return std::min(engine.threads, 1u);
#endif
}

}  // namespace

std::unique_ptr<DeviceMeter> make_meter(const EngineUnderTest& engine, const DeviceMeterOptions& options) {
  return std::make_unique<Engine<HostDevice>>(
      std::make_unique<HostDevice>(HostDeviceOptions{
          .threads = threads_of(engine), .seed = engine.seed, .memory = engine.memory, .fails_at = engine.fails_at}),
      options);
}

}  // namespace warpmeter::test
