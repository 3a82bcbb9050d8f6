// shfl, vote, match, redux and bar.warp.sync: what lanes of a warp do together.
#pragma once

#include <array>

#include "simulator/warp.h"

namespace cuda_machine {

// Does the operation for `lanes`, all of which have come; at[i] is the instruction at which lane i stands. They are
// operations of one kind with one mask; registers may differ.
void execute_warp_wide(Warp& warp, LaneMask lanes, const std::array<int, kLanes>& at);

}  // namespace cuda_machine
