// The holes of one flow that has very many of them: the interface of a HoleArray (core/holes.h) where n is large.
// A tree of two levels: parts of up to 128 holes, and a sorted list of these. Neighbours that fill no more than half a
// part are joined: a million holes take 16 to 64 MiB. The memory of its parts, and of all other holes, is that of
// HoleArrays.
//
// Times: O(log n) to look; to change, that of moving half a part, and for one in some dozens half the list of parts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "core/holes.h"

namespace warpmeter::inline flow {

// Memory for holes: arrays of four sizes, cut from slabs and used again. Slabs come from a memory resource and go back
// all together at the end.
//
// Threads: one owner (a shard); the memory resource may have several.
class HoleArrays {
 public:
  static constexpr std::array<std::uint32_t, 4> kSizes = {4, 16, 64, 128};
  static constexpr std::uint32_t kLargest = kSizes.back();

  // `memory` must outlive it; what it throws, take() throws.
  explicit HoleArrays(std::pmr::memory_resource& memory) : memory_(memory) {}
  ~HoleArrays();
  HoleArrays(const HoleArrays&) = delete;
  HoleArrays& operator=(const HoleArrays&) = delete;

  // Empty, of the least size that has room for so many. REQUIRES: holes <= kLargest.
  HoleArray take(std::uint32_t holes);
  // REQUIRES: take() gave it.
  void give_back(const HoleArray& array);

  std::uint64_t memory() const { return slabs_.size() * kSlabBytes; }

 private:
  static constexpr std::size_t kSlabBytes = 16 << 10;
  static unsigned class_for(std::uint32_t holes);

  std::pmr::memory_resource& memory_;
  std::array<std::vector<Hole*>, kSizes.size()> free_;
  std::vector<void*> slabs_;
};

// Threads: one owner.
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
