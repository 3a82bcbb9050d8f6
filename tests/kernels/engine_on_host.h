// The engine of the CUDA backend with the CPU as its device, compiled once (engine_on_host.cc).
#pragma once

#include "engine.cuh"
#include "kernels/tiled_kernels.h"

namespace warpmeter {

extern template class Engine<test::HostDevice>;

}  // namespace warpmeter
