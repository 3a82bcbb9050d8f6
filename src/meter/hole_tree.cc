#include "meter/hole_tree.h"

#include <algorithm>
#include <iterator>

namespace warpmeter {

HoleTree::HoleTree(const HoleArray& holes) {
  for (std::uint32_t i = 0; i < holes.count; ++i) add_highest(holes.hole[i].begin, holes.hole[i].end);
}

// The first hole that ends after `number`.
HoleTree::Map::const_iterator HoleTree::first_after(std::int64_t number) const {
  auto hole = end_of_.upper_bound(number);
  if (hole != end_of_.begin() && std::prev(hole)->second > number) --hole;
  return hole;
}

std::int64_t HoleTree::missing_between(std::int64_t begin, std::int64_t end) const {
  std::int64_t missing = 0;
  for (auto hole = first_after(begin); hole != end_of_.end() && hole->first < end; ++hole) {
    missing += std::min(hole->second, end) - std::max(hole->first, begin);
  }
  return missing;
}

void HoleTree::add_highest(std::int64_t begin, std::int64_t end) {
  missing_in_all_ += end - begin;
  if (!end_of_.empty() && end_of_.rbegin()->second == begin) end_of_.rbegin()->second = end;
  else end_of_.emplace_hint(end_of_.end(), begin, end);
}

void HoleTree::add_lowest(std::int64_t begin, std::int64_t end) {
  missing_in_all_ += end - begin;
  if (const auto first = end_of_.begin(); first != end_of_.end() && first->first == end) {
    end = first->second;
    end_of_.erase(first);
  }
  end_of_.emplace_hint(end_of_.begin(), begin, end);
}

void HoleTree::fill(std::int64_t begin, std::int64_t end) {
  for (auto hole = first_after(begin); hole != end_of_.end() && hole->first < end;) {
    const Hole old{hole->first, hole->second};
    hole = end_of_.erase(hole);
    missing_in_all_ -= std::min(old.end, end) - std::max(old.begin, begin);
    if (old.begin < begin) end_of_.emplace_hint(hole, old.begin, begin);
    if (old.end > end) hole = end_of_.emplace_hint(hole, end, old.end);
  }
}

void HoleTree::drop_lowest() {
  const auto lowest = end_of_.begin();
  missing_in_all_ -= lowest->second - lowest->first;
  end_of_.erase(lowest);
}

}  // namespace warpmeter
