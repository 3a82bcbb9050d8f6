// Memory for holes: arrays of four sizes, cut from slabs and used again. Slabs come from a memory resource and go back
// all together at the end.
//
// Threads: one owner (a shard); the memory resource may have several.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "core/holes.h"

namespace warpmeter::inline flow {

class HoleArrays {
 public:
  static constexpr std::array<std::uint32_t, 4> kSizes = {4, 16, 64, 128};
  static constexpr std::uint32_t kLargest = kSizes.back();

  // `memory` must outlive it; what it throws, take() throws.
  explicit HoleArrays(std::pmr::memory_resource& memory) : memory_(memory) {}
  ~HoleArrays();
  HoleArrays(const HoleArrays&) = delete;
  HoleArrays& operator=(const HoleArrays&) = delete;

  // Empty, of the least size that has room for so many. REQUIRES: holes <= kLargest.
  HoleArray take(std::uint32_t holes);
  // REQUIRES: take() gave it.
  void give_back(const HoleArray& array);

  std::uint64_t memory() const { return slabs_.size() * kSlabBytes; }

 private:
  static constexpr std::size_t kSlabBytes = 16 << 10;
  static unsigned class_for(std::uint32_t holes);

  std::pmr::memory_resource& memory_;
  std::array<std::vector<Hole*>, kSizes.size()> free_;
  std::vector<void*> slabs_;
};

}  // namespace warpmeter::inline flow
