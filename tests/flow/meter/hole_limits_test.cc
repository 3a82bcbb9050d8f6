// The limit of the hole store: the lowest hole of a flow goes, and is counted.
#include <gtest/gtest.h>

#include "flow/meter/hole_store.h"

namespace warpmeter {
namespace {

std::pmr::memory_resource& kPlenty = *std::pmr::new_delete_resource();

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

TEST(HoleLimits, SplitOfTheOnlyHoleAllowedLeavesTheUpperHalf) {
  HoleStore store(kPlenty, 1);
  std::uint32_t handle = 0;
  store.add_highest(handle, 10, 20);
  store.fill(handle, 12, 14);
  EXPECT_EQ(store.dropped(), 1u);
  EXPECT_EQ(store.missing_in_all(handle), 6);
  EXPECT_EQ(store.missing_between(handle, 14, 20), 6);
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

// Whatever the order: a million holes are kept, and no more memory than four times theirs is taken.
TEST(HoleLimits, AFlowHasAMillionHoles) {
  constexpr std::int64_t kHoles = HoleStore::kMaxHolesPerFlow;
  static_assert(kHoles == 1'048'576);
  HoleStore upwards, downwards, torn;
  std::uint32_t up = 0, down = 0, tear = 0;
  torn.add_highest(tear, 0, 2 * kHoles + 1);
  for (std::int64_t i = 0; i < kHoles; ++i) {
    upwards.add_highest(up, 2 * i, 2 * i + 1);
    downwards.add_lowest(down, -2 * i, -2 * i + 1);
    const std::int64_t at = i * 7919 % kHoles;  // all of them, in no order
    if (at) torn.fill(tear, 2 * at, 2 * at + 1);
  }
  for (const HoleStore* store : {&upwards, &downwards, &torn}) {
    EXPECT_EQ(store->dropped(), 0u);
    EXPECT_EQ(store->missing_in_all(1), store == &torn ? kHoles + 2 : kHoles);
    EXPECT_LE(store->memory(), std::uint64_t{64 << 20});
  }
  EXPECT_LE(upwards.memory(), std::uint64_t{17 << 20});
  upwards.add_highest(up, 2 * kHoles, 2 * kHoles + 1);
  EXPECT_EQ(upwards.dropped(), 1u);
}

// Flows that come and go, and large ones that are filled up to one hole in a part, leave their memory to the next.
TEST(HoleLimits, MemoryOfHolesThatAreGoneIsUsedAgain) {
  HoleStore store;
  std::uint64_t memory = 0;
  for (int round = 0; round < 20; ++round) {
    std::uint32_t handle = 0;
    for (std::int64_t i = 0; i < 20'000; ++i) store.add_highest(handle, 10 * i, 10 * i + 5);
    for (std::int64_t i = 0; i < 20'000; i += 100) store.fill(handle, 10 * i + 10, 10 * i + 1000);
    EXPECT_EQ(store.missing_in_all(handle), 200 * 5);
    for (std::int64_t i = 0; i < 19'000; ++i) store.add_highest(handle, 1'000'000 + 10 * i, 1'000'000 + 10 * i + 5);
    store.release(handle);
    if (round == 0) memory = store.memory();
  }
  EXPECT_EQ(store.memory(), memory);
  EXPECT_EQ(store.dropped(), 0u);
}

}  // namespace
}  // namespace warpmeter
