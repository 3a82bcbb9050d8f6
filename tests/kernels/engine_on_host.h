// The engine of the CUDA backend with the CPU as its device. Compiled once (engine_on_host.cc): all kernels for all
// tile sizes, with lanes as fibers, take a minute.
#pragma once

#include "engine.cuh"
#include "kernels/host_device.h"

namespace warpmeter {

extern template class Engine<test::HostDevice>;

}  // namespace warpmeter
