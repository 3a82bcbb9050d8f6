// A kernel as it is written.
#pragma once

#include "cuda_machine/module.h"
#include "cuda_machine/ptx_names.h"
#include "cuda_machine/ptx_tokens.h"

namespace cuda_machine {

// Reads from the kernel's name, behind ".entry", to the end of its body. Throws PtxError.
Kernel read_kernel(Tokens& tokens, const ModuleNames& module);

}  // namespace cuda_machine
