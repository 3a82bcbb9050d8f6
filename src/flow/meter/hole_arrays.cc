#include "flow/meter/hole_arrays.h"

namespace warpmeter::inline flow {

HoleArrays::~HoleArrays() {
  for (void* slab : slabs_) memory_.deallocate(slab, kSlabBytes, alignof(Hole));
}

unsigned HoleArrays::class_for(std::uint32_t holes) {
  unsigned size_class = 0;
  while (kSizes[size_class] < holes) ++size_class;
  return size_class;
}

HoleArray HoleArrays::take(std::uint32_t holes) {
  const unsigned size_class = class_for(holes);
  auto& free = free_[size_class];
  if (free.empty()) {
    slabs_.push_back(nullptr);
    slabs_.back() = memory_.allocate(kSlabBytes, alignof(Hole));
    Hole* const slab = static_cast<Hole*>(slabs_.back());
    for (std::size_t at = kSlabBytes / sizeof(Hole); at > 0;) free.push_back(slab + (at -= kSizes[size_class]));
  }
  Hole* const hole = free.back();
  free.pop_back();
  return {hole, 0, kSizes[size_class]};
}

void HoleArrays::give_back(const HoleArray& array) { free_[class_for(array.capacity)].push_back(array.hole); }

}  // namespace warpmeter::inline flow
