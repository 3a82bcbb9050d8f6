// A set of unwrapped sequence numbers, as ranges. Made for those that come in order, and safe against any others: all
// that is done takes O(log n), but for what it removes.
//
// Threads: one owner.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory_resource>

namespace warpmeter::inline stream {

class RangeSet {
 public:
  explicit RangeSet(std::pmr::memory_resource& memory) : ranges_(&memory) {}

  std::size_t size() const { return ranges_.size(); }

  void add(std::int64_t begin, std::int64_t end) {
    auto next = ranges_.empty() || ranges_.rbegin()->first < begin ? ranges_.end() : ranges_.lower_bound(begin);
    if (next != ranges_.begin() && std::prev(next)->second >= begin) {
      --next;
      begin = next->first;
    }
    while (next != ranges_.end() && next->first <= end) {
      end = std::max(end, next->second);
      next = ranges_.erase(next);
    }
    ranges_.emplace_hint(next, begin, end);
  }

  // The first number of [begin, end) that is not in the set, or `end`.
  std::int64_t first_missing(std::int64_t begin, std::int64_t end) const {
    const auto next = ranges_.upper_bound(begin);
    if (next == ranges_.begin()) return begin;
    return std::clamp(std::prev(next)->second, begin, end);
  }

  bool covers(std::int64_t begin, std::int64_t end) const { return first_missing(begin, end) == end; }

  // Calls take(begin, end) for each range of numbers in [begin, end) that are not in the set.
  template <class Take>
  void for_each_missing(std::int64_t begin, std::int64_t end, const Take& take) const {
    begin = first_missing(begin, end);
    for (auto next = ranges_.lower_bound(begin); begin < end; ++next) {
      const bool is_last = next == ranges_.end() || next->first >= end;
      take(begin, is_last ? end : next->first);
      if (is_last) return;
      begin = next->second;
    }
  }

  // Forgets what lies below.
  void drop_below(std::int64_t number) {
    while (!ranges_.empty() && ranges_.begin()->second <= number) ranges_.erase(ranges_.begin());
  }

 private:
  std::pmr::map<std::int64_t, std::int64_t> ranges_;  // begin to end; neither overlapping nor touching
};

}  // namespace warpmeter::inline stream
