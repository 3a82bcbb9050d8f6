// CUDA's status codes as exceptions.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "core/device_meter.h"

namespace warpmeter {

inline void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // an error that can be got over must not show up in the next call
  throw DeviceError(std::string(what) + ": " + cudaGetErrorString(status));
}

}  // namespace warpmeter
