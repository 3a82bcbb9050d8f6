// Holes the plain way: every missing number by itself.
#pragma once

#include <cstdint>
#include <iterator>
#include <set>

namespace warpmeter::test {

class HoleModel {
 public:
  std::int64_t missing(std::int64_t begin, std::int64_t end) const {
    return std::distance(numbers_.lower_bound(begin), numbers_.lower_bound(end));
  }
  std::int64_t total() const { return static_cast<std::int64_t>(numbers_.size()); }
  bool empty() const { return numbers_.empty(); }
  std::int64_t lowest() const { return *numbers_.begin(); }
  std::int64_t above_highest() const { return *numbers_.rbegin() + 1; }

  void add(std::int64_t begin, std::int64_t end) {
    for (; begin < end; ++begin) numbers_.insert(begin);
  }
  void fill(std::int64_t begin, std::int64_t end) {
    numbers_.erase(numbers_.lower_bound(begin), numbers_.lower_bound(end));
  }

  // Holes: stretches of missing numbers that do not touch.
  std::size_t count() const {
    std::size_t holes = 0;
    for (const std::int64_t number : numbers_) holes += !numbers_.contains(number - 1);
    return holes;
  }
  void drop_lowest() {
    std::int64_t end = lowest();
    while (numbers_.contains(end)) ++end;
    fill(lowest(), end);
  }

 private:
  std::set<std::int64_t> numbers_;
};

}  // namespace warpmeter::test
