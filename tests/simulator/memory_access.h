// What ld, st, atom, red and cvta do.
#pragma once

#include <cstdint>

#include "simulator/instruction.h"

namespace cuda_machine {

// Generic addresses of local and shared memory lie in windows that no allocation reaches.
inline constexpr std::uint64_t kLocalWindow = 0xf000'0000'0000'0000u;
inline constexpr std::uint64_t kSharedWindow = 0xe000'0000'0000'0000u;

// These are Execute functions: of an instruction whose `memory`, `to` and `from` are set as instruction.h says.
void load(Warp& warp, const Instruction& instruction, LaneMask lanes);
void store(Warp& warp, const Instruction& instruction, LaneMask lanes);
void atomic(Warp& warp, const Instruction& instruction, LaneMask lanes);
// membar and fence.
void fence(Warp& warp, const Instruction& instruction, LaneMask lanes);
// cvta.local and cvta.shared, to generic addresses; and back (cvta.to). Those of global memory are generic as they are.
void local_to_generic(Warp& warp, const Instruction& instruction, LaneMask lanes);
void shared_to_generic(Warp& warp, const Instruction& instruction, LaneMask lanes);
void generic_to_local(Warp& warp, const Instruction& instruction, LaneMask lanes);
void generic_to_shared(Warp& warp, const Instruction& instruction, LaneMask lanes);

}  // namespace cuda_machine
