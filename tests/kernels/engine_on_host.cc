#include "kernels/engine_on_host.h"

namespace warpmeter {

template class Engine<test::HostDevice>;

}  // namespace warpmeter
