// Sorts places of partials by their keys, of which each has the prefix beside it.
#pragma once

#include <pdqsort.h>

#include <algorithm>
#include <vector>

#include "run/key_prefix.h"

namespace warpmeter {

// By `Place::prefix`; those that have one in common, by `before`. In two steps, so that the first, which does nearly
// all of the work, has a comparison of a few instructions and a sort that does not branch on it.
template <class Place, class Before>
void sort_by_prefix(std::vector<Place>& places, Before before) {
  pdqsort_branchless(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.prefix < b.prefix; });
  for (auto begin = places.begin(); begin != places.end();) {
    auto end = begin + 1;
    while (end != places.end() && end->prefix == begin->prefix) ++end;
    if (end - begin > 1) std::sort(begin, end, before);
    begin = end;
  }
}

}  // namespace warpmeter
