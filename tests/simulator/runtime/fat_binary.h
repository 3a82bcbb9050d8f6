// The kernels that a program carries, found and parsed.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/module.h"

namespace cuda_machine {

// The kernel that the host calls by the address of this function. Null: `error` says why. Parses what has not been
// parsed.
const Kernel* kernel_of(const void* function, cudaError_t& error);

}  // namespace cuda_machine
