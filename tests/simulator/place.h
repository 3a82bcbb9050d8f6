// Where in a launch something was found.
#pragma once

#include <string>

#include "simulator/finding.h"
#include "simulator/instruction.h"
#include "simulator/warp.h"

namespace cuda_machine {

// The name of a kernel as its source has it; what is none stays as it is.
std::string readable(const std::string& mangled);
// "kernel, block 3 of 8, warp 0 lane 5: `st.global.u32 ...` (flow_table.cuh:88)"
std::string place_of(const Warp& warp, const Instruction& instruction, unsigned lane);

// Reports and goes on.
void note(const Warp& warp, const Instruction& instruction, unsigned lane, Finding finding, const std::string& what);
// Reports and ends the launch.
[[noreturn]] void fault(const Warp& warp, const Instruction& instruction, unsigned lane, Finding finding,
                        const std::string& what);

}  // namespace cuda_machine
