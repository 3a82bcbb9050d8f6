// Tiles of 2 to 32 neighbouring threads of a warp.
#pragma once

#include <cooperative_groups.h>

#include <cstdint>

#include "core/tile.h"

namespace warpmeter {

template <unsigned kLanes>
class CudaTile {
 public:
  static constexpr unsigned kSize = kLanes;

  __device__ CudaTile() : tile_(cooperative_groups::tiled_partition<kLanes>(cooperative_groups::this_thread_block())) {}

  __device__ unsigned rank() const { return tile_.thread_rank(); }
  __device__ std::uint32_t ballot(bool said) const { return tile_.ballot(said); }
  template <class T>
  __device__ T shfl(T value, unsigned lane) const {
    return tile_.shfl(value, lane);
  }
  __device__ void sync() const { tile_.sync(); }

 private:
  cooperative_groups::thread_block_tile<kLanes> tile_;
};

template <unsigned kLanes>
struct TileOf {
  using Type = CudaTile<kLanes>;
};
template <>
struct TileOf<1> {
  using Type = Tile1;
};

}  // namespace warpmeter
