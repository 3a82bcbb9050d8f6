// Calls of CUDA: its status codes as exceptions, and its library for sorting.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/device_meter.h"
#include "device_memory.cuh"

namespace warpmeter {

inline void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // an error that can be got over must not show up in the next call
  throw DeviceError(std::string(what) + ": " + cudaGetErrorString(status));
}

// Sorting on the GPU, by CUB. In a unit of its own, because CUB takes long to compile.

// Bytes of scratch memory that sorting up to `most` elements takes. Throws DeviceError.
std::size_t sort_scratch_bytes(std::uint32_t most);

// Stable radix sort by the lowest `bits` of the keys. Throws DeviceError.
void sort_pairs_async(void* scratch, std::size_t scratch_bytes, const PairsToSort& pairs, std::uint32_t count,
                      unsigned bits, cudaStream_t stream);

}  // namespace warpmeter
