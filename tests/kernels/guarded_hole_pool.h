// A pool for holes with the memory that it lies in, full of rubbish. Every array has exactly its size, so that a
// sanitizer sees one element too far.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "hole_pool.cuh"

namespace warpmeter::test {

class HoleMemory {
 public:
  // Rings count from `first`.
  explicit HoleMemory(std::uint32_t units, std::uint32_t first = 0)
      : unit_(units), ring_(HolePoolRef::ring_places(units), 0xa5a5a5a5) {
    std::memset(static_cast<void*>(unit_.data()), 0xa5, units * sizeof(HoleUnit));
    for (auto* ring : {counters.head, counters.tail, counters.limit}) std::fill_n(ring, kHoleClasses, first);
  }

  HolePoolRef ref() { return {unit_.data(), ring_.data(), static_cast<std::uint32_t>(unit_.size()), &counters}; }

  // Those in the block at `place`.
  std::vector<Hole> holes_at(std::uint32_t place) {
    HoleBlock* block = ref().block(place);
    return {block->holes(), block->holes() + block->count};
  }

  const std::vector<std::uint32_t>& ring() const { return ring_; }

  HolePoolCounters counters{};

 private:
  std::vector<HoleUnit> unit_;
  std::vector<std::uint32_t> ring_;
};

}  // namespace warpmeter::test
