// A kernel as it is written.
#pragma once

#include "simulator/module.h"
#include "simulator/ptx_names.h"
#include "simulator/ptx_tokens.h"

namespace cuda_machine {

// Reads from the kernel's name, behind ".entry", to the end of its body. Throws PtxError.
Kernel read_kernel(Tokens& tokens, const ModuleNames& module);

}  // namespace cuda_machine
