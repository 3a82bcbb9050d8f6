// What a bucket of the index finds by its tag, and when it is full.
#include "flow/meter/flow_table.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace warpmeter {
namespace {

constexpr std::uint8_t kTag = 0x55, kOther = 0x56;

std::vector<std::uint32_t> numbers_with(const IndexBucket& bucket, std::uint8_t tag) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t left = bucket.with_tag(tag); left; left &= left - 1) {
    numbers.push_back(bucket.number(static_cast<unsigned>(std::countr_zero(left))));
  }
  return numbers;
}

TEST(IndexBucket, EmptyItHasNoTag) {
  const IndexBucket bucket;
  EXPECT_FALSE(bucket.is_full());
  for (std::uint64_t high = 0; high < 256; ++high) {
    ASSERT_EQ(bucket.with_tag(IndexBucket::tag_of(high << 56)), 0u) << high;
  }
}

TEST(IndexBucket, TagIsOfTheHighestBitsAlone) {
  EXPECT_EQ(IndexBucket::tag_of(0x5500000000000000), kTag);
  EXPECT_EQ(IndexBucket::tag_of(0x55ffffffffffffff), kTag);
  EXPECT_EQ(IndexBucket::tag_of(0x00ffffffffffffff), IndexBucket::tag_of(0x0100000000000000));
}

TEST(IndexBucket, FindsTheNumbersOfATag) {
  IndexBucket bucket;
  bucket.enter(kTag, 0);
  bucket.enter(kOther, 1);
  bucket.enter(kTag, IndexBucket::kMostNumbers - 1);
  EXPECT_EQ(numbers_with(bucket, kTag), (std::vector<std::uint32_t>{0, IndexBucket::kMostNumbers - 1}));
  EXPECT_EQ(numbers_with(bucket, kOther), (std::vector<std::uint32_t>{1}));
}

TEST(IndexBucket, IsFullWithSixteen) {
  IndexBucket bucket;
  for (std::uint32_t i = 0; i < 16; ++i) {
    ASSERT_FALSE(bucket.is_full());
    bucket.enter(kTag, i);
  }
  EXPECT_TRUE(bucket.is_full());
  EXPECT_EQ(bucket.with_tag(kTag), 0xffffu);
}

TEST(IndexBucket, WhateverWasEntered) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    IndexBucket bucket;
    std::vector<std::uint32_t> expected;
    for (std::uint64_t left = random() % 17; left > 0; --left) {
      const bool wanted = random() % 2;
      const auto number = static_cast<std::uint32_t>(random() % IndexBucket::kMostNumbers);
      bucket.enter(wanted ? kTag : kOther, number);
      if (wanted) expected.push_back(number);
    }
    ASSERT_EQ(numbers_with(bucket, kTag), expected);
  }
}

}  // namespace
}  // namespace warpmeter
