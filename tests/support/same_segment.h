// Whole segments compared.
#pragma once

#include <cstring>
#include <type_traits>

#include "core/segment.h"

namespace warpmeter::test {

inline bool same_segment(const Segment& a, const Segment& b) {
  static_assert(std::has_unique_object_representations_v<Segment>);
  return std::memcmp(&a, &b, sizeof a) == 0;
}

}  // namespace warpmeter::test
