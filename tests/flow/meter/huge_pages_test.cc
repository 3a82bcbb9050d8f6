// Memory in huge pages: aligned, apart from each other, from several threads; small pieces share what there is.
#include "flow/meter/huge_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <thread>

namespace warpmeter {
namespace {

std::uintptr_t place_of(const void* piece) { return reinterpret_cast<std::uintptr_t>(piece); }

TEST(HugePages, PiecesAreAlignedAndApart) {
  HugePages memory;
  std::uintptr_t end = 0;
  for (const std::size_t alignment : {1u, 8u, 32u, 64u, 4096u}) {
    void* piece = memory.allocate(1000, alignment);
    EXPECT_EQ(place_of(piece) % alignment, 0u);
    EXPECT_GE(place_of(piece), end);
    std::memset(piece, 1, 1000);
    end = place_of(piece) + 1000;
  }
}

TEST(HugePages, BeginAtAHugePage) {
  HugePages memory;
  EXPECT_EQ(place_of(memory.allocate(100)) % (2 << 20), 0u);
}

TEST(HugePages, TakeWhatIsLargerThanARegion) {
  HugePages memory;
  constexpr std::size_t kLarge = 200 << 20;
  auto* large = static_cast<char*>(memory.allocate(kLarge));
  large[0] = large[kLarge - 1] = 1;
  auto* next = static_cast<char*>(memory.allocate(100));
  *next = 2;
  EXPECT_EQ(large[kLarge - 1], 1);
}

TEST(HugePages, GiveEachThreadItsOwn) {
  HugePages memory;
  std::vector<std::vector<void*>> pieces(4);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : pieces) {
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) mine.push_back(memory.allocate(40'000, 32));
      });
    }
  }
  std::vector<std::uintptr_t> all;
  for (const auto& mine : pieces) {
    for (const void* piece : mine) all.push_back(place_of(piece));
  }
  std::sort(all.begin(), all.end());
  for (std::size_t i = 1; i < all.size(); ++i) ASSERT_GE(all[i] - all[i - 1], 40'000u);
}

}  // namespace
}  // namespace warpmeter
