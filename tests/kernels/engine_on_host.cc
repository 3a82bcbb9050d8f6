#include "kernels/engine_on_host.h"

namespace warpmeter {

#define WARPMETER_INSTANCE(Kernel) template void test::HostDevice::launch(const Kernel&, std::uint32_t, unsigned);
WARPMETER_TILED_KERNELS(WARPMETER_INSTANCE)

template class Engine<test::HostDevice>;

}  // namespace warpmeter
