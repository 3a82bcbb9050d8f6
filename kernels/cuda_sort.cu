#include "cuda_sort.h"

#include <thrust/iterator/counting_iterator.h>
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include "cuda_check.h"

namespace warpmeter {
namespace {

using Positions = thrust::counting_iterator<std::uint32_t>;

}  // namespace

std::size_t sort_scratch_bytes(std::uint32_t most) {
  const std::uint32_t* from = nullptr;
  std::uint32_t* to = nullptr;
  std::size_t for_sort = 0, for_select = 0;
  check_cuda(cub::DeviceRadixSort::SortPairs(nullptr, for_sort, from, to, from, to, most), "sort");
  check_cuda(cub::DeviceSelect::Flagged(nullptr, for_select, Positions(0), static_cast<const std::uint8_t*>(nullptr),
                                        to, to, most),
             "select");
  return std::max(for_sort, for_select);
}

void sort_pairs_async(void* scratch, std::size_t scratch_bytes, const std::uint32_t* keys_from, std::uint32_t* keys_to,
                      const std::uint32_t* values_from, std::uint32_t* values_to, std::uint32_t count, unsigned bits,
                      cudaStream_t stream) {
  check_cuda(cub::DeviceRadixSort::SortPairs(scratch, scratch_bytes, keys_from, keys_to, values_from, values_to, count,
                                             0, static_cast<int>(bits), stream),
             "sort");
}

void select_async(void* scratch, std::size_t scratch_bytes, const std::uint8_t* chosen, std::uint32_t* positions,
                  std::uint32_t* selected, std::uint32_t count, cudaStream_t stream) {
  check_cuda(
      cub::DeviceSelect::Flagged(scratch, scratch_bytes, Positions(0), chosen, positions, selected, count, stream),
      "select");
}

}  // namespace warpmeter
