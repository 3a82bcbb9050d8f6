#include "simulator/cache_model.h"

#include <gtest/gtest.h>

namespace cuda_machine::test {
namespace {

constexpr std::size_t kOneSet = 16 * kLineBytes;

TEST(CacheModel, BringsSectorsOneByOne) {
  CacheModel cache(kOneSet);
  EXPECT_FALSE(cache.read(0).hit);
  EXPECT_TRUE(cache.read(0).hit);
  EXPECT_FALSE(cache.read(1).hit);  // the same line
}

TEST(CacheModel, TheLineThatWasNotUsedForLongestLeaves) {
  CacheModel cache(kOneSet);
  for (std::uint64_t line = 0; line < 16; ++line) cache.read(line * kSectorsOfLine);
  EXPECT_TRUE(cache.read(0).hit);
  cache.read(16 * kSectorsOfLine);  // line 1 makes room
  EXPECT_TRUE(cache.read(0).hit);
  EXPECT_FALSE(cache.read(1 * kSectorsOfLine).hit);
}

TEST(CacheModel, WhatWasWrittenIsWrittenBackWhenItLeaves) {
  CacheModel cache(kOneSet);
  cache.write(0);
  cache.write(1);
  cache.read(2);
  unsigned written_back = 0;
  for (std::uint64_t line = 1; line <= 16; ++line) written_back += cache.read(line * kSectorsOfLine).written_back;
  EXPECT_EQ(written_back, 2u);
}

TEST(CacheModel, WhatSomebodyElseHasWrittenIsGone) {
  CacheModel cache(kOneSet);
  for (const std::uint64_t sector : {0, 4, 8}) cache.read(sector);
  cache.forget(kLineBytes + 1, kLineBytes);
  EXPECT_TRUE(cache.read(0).hit);
  EXPECT_FALSE(cache.read(4).hit);
  EXPECT_FALSE(cache.read(8).hit);
  cache.forget_all();
  EXPECT_FALSE(cache.read(0).hit);
}

}  // namespace
}  // namespace cuda_machine::test
