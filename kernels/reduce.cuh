// Reductions over the lanes of a tile: every lane gets the result. Collective.
#pragma once

#include "warpmeter/hd.h"

namespace warpmeter {

template <class Tile, class T, class Combine>
WARPMETER_HD T reduce(Tile& tile, T value, Combine combine) {
  for (unsigned apart = Tile::kSize / 2; apart > 0; apart /= 2) {
    const T other = tile.shfl(value, tile.rank() ^ apart);
    value = combine(value, other);
  }
  return value;
}

template <class Tile, class T>
WARPMETER_HD T sum_of(Tile& tile, T value) {
  return reduce(tile, value, [](T a, T b) { return a + b; });
}

template <class Tile, class T>
WARPMETER_HD T least_of(Tile& tile, T value) {
  return reduce(tile, value, [](T a, T b) { return a < b ? a : b; });
}

template <class Tile, class T>
WARPMETER_HD T largest_of(Tile& tile, T value) {
  return reduce(tile, value, [](T a, T b) { return a > b ? a : b; });
}

}  // namespace warpmeter
