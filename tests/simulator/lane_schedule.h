// Who runs next: lanes of a warp part at branches and meet again, by the schedule of the settings.
//
// Source: independent thread scheduling as in NVIDIA, "CUDA C++ Programming Guide", "SIMT Architecture": each lane has
// a program counter of its own; which lanes run together, and when, is nobody's promise. All schedules are legal ones.
#pragma once

#include <cstdint>

#include "simulator/warp.h"

namespace cuda_machine {

// Runs groups of the warp for about so many instructions, or until none of them can go on. Returns how many it ran; 0
// if all are stalled. Throws KernelFault.
std::uint64_t run_warp(Warp& warp, std::uint64_t budget);

// Lanes that wait for others of their warp go on if all those have come or ended.
void release_waiting(Warp& warp);

}  // namespace cuda_machine
