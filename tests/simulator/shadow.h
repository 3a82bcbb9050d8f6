// Who accessed which byte of a memory last, for the race check.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/lanes.h"

namespace cuda_machine {

// An access of some lanes of one warp, at one time of theirs.
struct Stamp {
  std::uint32_t launch = 0;    // 0: none
  std::uint32_t block = 0;     // in the launch
  std::uint32_t warp = 0;      // in the launch
  std::uint32_t clock = 0;     // of the lanes (Warp::clock)
  std::uint32_t barriers = 0;  // that their block had passed
  LaneMask lanes = 0;
  bool writes = false;
  bool block_scope = false;  // an atomic operation that is one for its block only
  // Of an atomic operation: the low byte of its address, and its size.
  std::uint8_t begin = 0, bytes = 0;

  bool at_the_time_of(const Stamp& other) const {
    return launch == other.launch && warp == other.warp && clock == other.clock && writes == other.writes &&
           block_scope == other.block_scope && begin == other.begin && bytes == other.bytes;
  }
};

// The latest accesses of one kind: a few exactly. Of more, a summary: of one block until `barriers`, or of several.
struct StampSet {
  static constexpr std::size_t kExact = 2;
  enum class Breadth : std::uint8_t { exact, block, launch };

  std::array<Stamp, kExact> exact;
  std::uint8_t count = 0;
  Breadth breadth = Breadth::exact;
  bool writes = false;  // of those in the summary
  std::uint32_t launch = 0, block = 0, barriers = 0;
};

// Of a granule of bytes.
struct Cell {
  Stamp write;       // the last plain one
  StampSet reads;    // plain
  StampSet atomics;  // strong, in the words of PTX: relaxed and stronger, volatile
};

// A cell for each four bytes; where smaller pieces were accessed, one for each byte.
class Shadow {
 public:
  static constexpr std::size_t kGranule = 4;

  explicit Shadow(std::size_t bytes);
  ~Shadow();
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

  // Calls f(cell) for each cell of these bytes.
  template <class F>
  void for_each_cell(std::size_t begin, std::size_t bytes, F f) {
    for (std::size_t at = begin; at < begin + bytes;) {
      const std::size_t granule = at / kGranule;
      const std::size_t end = (granule + 1) * kGranule < begin + bytes ? (granule + 1) * kGranule : begin + bytes;
      if (end - at == kGranule && !split_.contains(granule)) {
        f(cells_[granule]);
      } else {
        auto& split = split_cell(granule);
        for (std::size_t byte = at; byte < end; ++byte) f(split[byte % kGranule]);
      }
      at = end;
    }
  }

 private:
  std::array<Cell, kGranule>& split_cell(std::size_t granule);

  std::size_t mapped_ = 0;
  Cell* cells_ = nullptr;  // zero pages until they are touched
  std::unordered_map<std::size_t, std::array<Cell, kGranule>> split_;
};

}  // namespace cuda_machine
