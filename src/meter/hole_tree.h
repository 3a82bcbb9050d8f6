// The holes of one flow that has very many of them: the interface of a HoleArray (warpmeter/holes.h) in O(log n).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "warpmeter/holes.h"

namespace warpmeter {

class HoleTree {
 public:
  explicit HoleTree(const HoleArray& holes);

  std::size_t count() const { return end_of_.size(); }
  std::int64_t missing_between(std::int64_t begin, std::int64_t end) const;
  std::int64_t missing_in_all() const { return missing_in_all_; }
  void add_highest(std::int64_t begin, std::int64_t end);
  void add_lowest(std::int64_t begin, std::int64_t end);
  void fill(std::int64_t begin, std::int64_t end);
  void drop_lowest();

 private:
  using Map = std::map<std::int64_t, std::int64_t>;
  Map::const_iterator first_after(std::int64_t number) const;

  Map end_of_;  // begin -> end
  std::int64_t missing_in_all_ = 0;
};

}  // namespace warpmeter
