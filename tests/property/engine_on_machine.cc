#include "property/engine_under_test.h"

namespace warpmeter::test {

std::unique_ptr<DeviceMeter> make_meter(const EngineUnderTest&, const DeviceMeterOptions& options) {
  return make_cuda_meter(0, options);
}

}  // namespace warpmeter::test
