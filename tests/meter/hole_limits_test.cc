// The limits of the hole store, per flow and in total: the lowest hole goes, and is counted.
#include <gtest/gtest.h>

#include "meter/hole_store.h"

namespace warpmeter {
namespace {

constexpr std::uint64_t kPlenty = 64 << 20;
constexpr std::uint64_t kSlab = 16 << 10;

// [10,20) [30,40) [50,60)
std::uint32_t three_holes(HoleStore& store) {
  std::uint32_t handle = 0;
  for (std::int64_t at : {10, 30, 50}) store.add_highest(handle, at, at + 10);
  return handle;
}

TEST(HoleLimits, FourthHoleOfThreeDropsTheLowest) {
  HoleStore store(kPlenty, 3);
  std::uint32_t handle = three_holes(store);
  EXPECT_EQ(store.dropped(), 0u);
  store.add_highest(handle, 70, 75);
  EXPECT_EQ(store.dropped(), 1u);
  EXPECT_EQ(store.missing_in_all(handle), 25);
  EXPECT_EQ(store.missing_between(handle, 0, 30), 0);
}

TEST(HoleLimits, SplitAtTheLimitDropsTheLowest) {
  HoleStore store(kPlenty, 3);
  std::uint32_t handle = three_holes(store);
  store.fill(handle, 32, 34);
  EXPECT_EQ(store.dropped(), 1u);
  EXPECT_EQ(store.missing_between(handle, 0, 30), 0);
  EXPECT_EQ(store.missing_in_all(handle), 18);
}

TEST(HoleLimits, SplitOfTheOnlyHoleAllowedLeavesNone) {
  HoleStore store(kPlenty, 1);
  std::uint32_t handle = 0;
  store.add_highest(handle, 10, 20);
  store.fill(handle, 12, 14);
  EXPECT_EQ(store.dropped(), 1u);
  EXPECT_EQ(handle, 0u);
}

TEST(HoleLimits, FillThatSplitsNothingDropsNothing) {
  HoleStore store(kPlenty, 3);
  std::uint32_t handle = three_holes(store);
  store.fill(handle, 10, 12);
  store.fill(handle, 25, 45);
  EXPECT_EQ(store.dropped(), 0u);
  EXPECT_EQ(store.missing_in_all(handle), 18);
}

TEST(HoleLimits, LimitPerFlowHoldsForTreesToo) {
  HoleStore store(kPlenty, 300);
  std::uint32_t handle = 0;
  for (std::int64_t i = 0; i < 1000; ++i) store.add_highest(handle, 10 * i, 10 * i + 5);
  EXPECT_EQ(store.dropped(), 700u);
  EXPECT_EQ(store.missing_in_all(handle), 1500);
  EXPECT_EQ(store.missing_between(handle, 0, 7000), 0);
  store.fill(handle, 8001, 8002);  // a split makes 301
  EXPECT_EQ(store.dropped(), 701u);
  EXPECT_EQ(store.missing_in_all(handle), 1500 - 1 - 5);
}

TEST(HoleLimits, EachFlowHasALimitOfItsOwn) {
  HoleStore store(kPlenty, 3);
  three_holes(store);
  const std::uint32_t other = three_holes(store);
  EXPECT_EQ(store.dropped(), 0u);
  EXPECT_EQ(store.missing_in_all(other), 30);
}

TEST(HoleLimits, WithoutMemoryEveryHoleIsDropped) {
  HoleStore store(0);
  std::uint32_t handle = 0;
  store.add_highest(handle, 10, 20);
  EXPECT_EQ(handle, 0u);
  store.add_lowest(handle, 1, 2);
  EXPECT_EQ(handle, 0u);
  EXPECT_EQ(store.dropped(), 2u);
  EXPECT_EQ(store.memory(), 0u);
}

// One slab: 256 arrays of 4 holes, and no array of 16.
TEST(HoleLimits, OneSlabTakesTwoHundredFiftySixFlows) {
  HoleStore store(kSlab);
  std::uint32_t handle = 0;
  for (int flow = 0; flow < 256; ++flow) {
    handle = 0;
    store.add_highest(handle, 10, 20);
    ASSERT_NE(handle, 0u);
  }
  EXPECT_EQ(store.dropped(), 0u);
  std::uint32_t one_more = 0;
  store.add_highest(one_more, 10, 20);
  EXPECT_EQ(one_more, 0u);
  EXPECT_EQ(store.dropped(), 1u);
  store.release(handle);
  store.add_highest(one_more, 10, 20);
  EXPECT_NE(one_more, 0u);
  EXPECT_EQ(store.dropped(), 1u);
}

TEST(HoleLimits, OneSlabTakesFourHolesAFlow) {
  HoleStore store(kSlab);
  std::uint32_t handle = three_holes(store);
  store.add_highest(handle, 70, 80);
  EXPECT_EQ(store.dropped(), 0u);
  store.add_highest(handle, 90, 91);
  EXPECT_EQ(store.dropped(), 1u);
  EXPECT_EQ(store.missing_in_all(handle), 31);
}

// All four slabs and 300 nodes of a tree.
TEST(HoleLimits, TreesShareTheTotal) {
  HoleStore store(4 * kSlab + 300 * 64);
  std::uint32_t handle = 0;
  for (std::int64_t i = 0; i < 400; ++i) store.add_highest(handle, 10 * i, 10 * i + 5);
  EXPECT_EQ(store.dropped(), 100u);
  EXPECT_EQ(store.missing_in_all(handle), 1500);
  std::uint32_t second = 0;  // finds arrays of every size free, and no room for a tree
  for (std::int64_t i = 0; i < 257; ++i) store.add_highest(second, 10 * i, 10 * i + 5);
  EXPECT_EQ(store.dropped(), 101u);
  EXPECT_EQ(store.missing_in_all(second), 256 * 5);
}

}  // namespace
}  // namespace warpmeter
