// The holes of one flow that has very many of them: the interface of a HoleArray (core/holes.h) where n is large.
// A tree of two levels: parts of up to 128 holes, and a sorted list of these. Neighbours that fill no more than half a
// part are joined: a million holes take 16 to 64 MiB.
//
// Times: O(log n) to look; to change, that of moving half a part, and for one in some dozens half the list of parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/holes.h"
#include "flow/meter/hole_arrays.h"

namespace warpmeter::inline flow {

class HoleTree {
 public:
  // Its parts lie in `arrays`, which must outlive it.
  HoleTree(HoleArrays& arrays, const HoleArray& holes);
  ~HoleTree();
  HoleTree(const HoleTree&) = delete;
  HoleTree& operator=(const HoleTree&) = delete;

  std::size_t count() const { return count_; }
  std::int64_t missing_between(std::int64_t begin, std::int64_t end) const;
  std::int64_t missing_in_all() const { return missing_in_all_; }
  void add_highest(std::int64_t begin, std::int64_t end);
  void add_lowest(std::int64_t begin, std::int64_t end);
  void fill(std::int64_t begin, std::int64_t end);
  void drop_lowest();

 private:
  struct Part {
    std::int64_t begin;  // of its first hole
    HoleArray holes;     // never empty
  };

  std::size_t part_of(std::int64_t number) const;
  void insert_part(std::size_t at, std::int64_t begin, std::int64_t end);
  void split(std::size_t at);
  void erase_parts(std::size_t first, std::size_t last);
  void join_with_next(std::size_t at);

  HoleArrays& arrays_;
  std::vector<Part> parts_;
  std::size_t count_ = 0;
  std::int64_t missing_in_all_ = 0;
};

}  // namespace warpmeter::inline flow
