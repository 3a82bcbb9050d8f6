// Which instructions of which kernels ran.
#pragma once

#include "simulator/module.h"

namespace cuda_machine {

// At the end of the process a file in the folder that the settings name tells of this module's kernels. The module must
// stay until then. tests/simulator/coverage adds files up.
void cover(const Module& module);

}  // namespace cuda_machine
