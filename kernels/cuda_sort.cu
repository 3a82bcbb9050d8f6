
#include <cub/device/device_radix_sort.cuh>

#include "cuda_calls.h"

namespace warpmeter {

std::size_t sort_scratch_bytes(std::uint32_t most) {
  const std::uint32_t* from = nullptr;
  std::uint32_t* to = nullptr;
  std::size_t bytes = 0;
  check_cuda(cub::DeviceRadixSort::SortPairs(nullptr, bytes, from, to, from, to, most), "sort");
  return bytes;
}

void sort_pairs_async(void* scratch, std::size_t scratch_bytes, const PairsToSort& pairs, std::uint32_t count,
                      unsigned bits, cudaStream_t stream) {
  check_cuda(cub::DeviceRadixSort::SortPairs(scratch, scratch_bytes, pairs.key, pairs.sorted_key, pairs.value,
                                             pairs.sorted_value, count, 0, static_cast<int>(bits), stream),
             "sort");
}

}  // namespace warpmeter
