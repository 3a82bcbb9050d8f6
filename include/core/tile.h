// A tile: the threads of a GPU that work on one item together, its lanes. The kernels are templates over a Tile, so
// that one source serves every tile size, and plain C++ compiles and tests it:
//
//   Tile1       one thread alone, here
//   CudaTile    2 to 32 threads of a warp (kernels/cuda_device.cuh)
//   FiberTile   as many fibers of one CPU thread, for tests (tests/kernels/)
//
// A Tile has
//   static constexpr unsigned kSize     lanes: a power of two up to 32
//   unsigned rank()                     of this lane, 0 .. kSize - 1
//   uint32 ballot(bool)                 bit r: what lane r said
//   T shfl(T value, unsigned lane)      the value of that lane; T trivially copyable
//   void sync()                         all lanes get here; what each wrote to memory before, all see afterwards
// ballot, shfl and sync are collective: all lanes call them, in the same order.
#pragma once

#include <cstdint>

#include "warpmeter/hd.h"

namespace warpmeter {

struct Tile1 {
  static constexpr unsigned kSize = 1;
  WARPMETER_HD unsigned rank() const { return 0; }
  WARPMETER_HD std::uint32_t ballot(bool said) const { return said; }
  template <class T>
  WARPMETER_HD T shfl(T value, unsigned) const {
    return value;
  }
  WARPMETER_HD void sync() const {}
};

}  // namespace warpmeter
