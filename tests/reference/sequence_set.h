// A set of unwrapped sequence numbers. Members are kept as disjoint ranges that never touch: first number -> one past
// the last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>

namespace reference {

class SequenceSet {
 public:
  // How many numbers of [first, end) are members.
  int64_t count(int64_t first, int64_t end) const {
    int64_t members = 0;
    for (auto range = reaching(first); range != ranges_.end() && range->first < end; ++range)
      members += std::max<int64_t>(0, std::min(end, range->second) - std::max(first, range->first));
    return members;
  }

  int64_t count() const {
    int64_t members = 0;
    for (const auto& [first, end] : ranges_) members += end - first;
    return members;
  }

  void insert(int64_t first, int64_t end) {
    if (first >= end) return;
    auto range = reaching(first);
    while (range != ranges_.end() && range->first <= end) {
      first = std::min(first, range->first);
      end = std::max(end, range->second);
      range = ranges_.erase(range);
    }
    ranges_.emplace(first, end);
  }

 private:
  using Ranges = std::map<int64_t, int64_t>;

  // The first range that ends at `number` or later: touching counts.
  Ranges::const_iterator reaching(int64_t number) const {
    auto range = ranges_.upper_bound(number);
    if (range == ranges_.begin()) return range;
    const auto before = std::prev(range);
    return before->second >= number ? before : range;
  }

  Ranges ranges_;
};

}  // namespace reference
