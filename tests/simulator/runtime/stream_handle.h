// What stands behind a cudaStream_t.
#pragma once

#include <cuda_runtime_api.h>

#include "simulator/runtime/stream.h"

namespace cuda_machine {

// Null: there is no such stream, or not any more; it has been reported.
Stream* stream_of(cudaStream_t handle);

}  // namespace cuda_machine
