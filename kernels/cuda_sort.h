// Sorting on the GPU, by CUB. In a unit of its own, because CUB takes long to compile.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "device_memory.cuh"

namespace warpmeter {

// Bytes of scratch memory that sorting up to `most` elements takes. Throws DeviceError.
std::size_t sort_scratch_bytes(std::uint32_t most);

// Stable radix sort by the lowest `bits` of the keys. Throws DeviceError.
void sort_pairs_async(void* scratch, std::size_t scratch_bytes, const PairsToSort& pairs, std::uint32_t count,
                      unsigned bits, cudaStream_t stream);

}  // namespace warpmeter
