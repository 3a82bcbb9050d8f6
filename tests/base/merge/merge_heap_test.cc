// Many sorted sequences as one, whatever their lengths.
#include "base/merge/merge_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace warpmeter::test {
namespace {

// Not to be copied, as the entries of some merges.
struct Sequence {
  std::unique_ptr<std::vector<int>> numbers;
  std::size_t at;
  std::size_t place;
  int head() const { return (*numbers)[at]; }
};
struct Before {
  bool operator()(const Sequence& a, const Sequence& b) const {
    return a.head() != b.head() ? a.head() < b.head() : a.place < b.place;
  }
};
using Taken = std::pair<int, std::size_t>;  // a number, of which sequence

std::vector<Taken> merged(MergeHeap<Sequence, Before> heap) {
  std::vector<Taken> all;
  while (!heap.empty()) {
    Sequence& first = heap.first();
    all.emplace_back(first.head(), first.place);
    if (++first.at < first.numbers->size()) heap.first_changed();
    else heap.drop_first();
  }
  return all;
}

TEST(MergeHeap, GivesAllInOrderAndThoseAlikeInTheOrderOfTheirSequences) {
  std::mt19937 random(7);
  for (std::size_t count = 0; count < 40; ++count) {
    MergeHeap<Sequence, Before> heap;
    std::vector<Taken> expected;
    for (std::size_t place = 0; place < count; ++place) {
      auto numbers = std::make_unique<std::vector<int>>(1 + random() % 50);
      for (int& number : *numbers) number = static_cast<int>(random() % 100);
      std::sort(numbers->begin(), numbers->end());
      for (const int number : *numbers) expected.emplace_back(number, place);
      heap.add({std::move(numbers), 0, place});
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(heap.size(), count);
    EXPECT_EQ(merged(std::move(heap)), expected) << count;
  }
}

TEST(MergeHeap, OneOfTwoCanBeDropped) {
  for (const std::size_t dropped : {0u, 1u}) {
    MergeHeap<int, std::less<>> heap;
    heap.add(2);
    heap.add(1);
    heap.drop(dropped);
    heap.first_changed();
    ASSERT_EQ(heap.size(), 1u);
    EXPECT_EQ(heap.first(), dropped == 0 ? 2 : 1);
  }
}

}  // namespace
}  // namespace warpmeter::test
