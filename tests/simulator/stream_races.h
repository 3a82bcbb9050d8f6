// Finds work of several streams that races: two accesses of the same bytes of a GPU's memory, at least one of them a
// write, by kernels, copies or fills of which neither is ordered before the other (stream_order.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "simulator/stream_order.h"

namespace cuda_machine {

// Which work accessed the bytes of an allocation last; four bytes are one.
class WorkShadow {
 public:
  explicit WorkShadow(std::size_t bytes);
  ~WorkShadow();
  WorkShadow(const WorkShadow&) = delete;
  WorkShadow& operator=(const WorkShadow&) = delete;

  // Reports races with what was before. bytes > 0.
  void access(const StreamOrder& order, Work now, std::size_t offset, std::size_t bytes, bool writes);

 private:
  static constexpr std::size_t kGranule = 4;

  // Of three streams that read side by side, one is forgotten.
  struct Cell {
    Work write;
    std::array<Work, 2> reads;
  };

  static void read(const StreamOrder& order, Work now, Cell& cell);
  static void write(const StreamOrder& order, Work now, Cell& cell);

  std::size_t mapped_ = 0;
  Cell* cells_ = nullptr;  // zero pages until they are touched
};

}  // namespace cuda_machine
