// Slots of the segment table: one a key, for every tile size and any number of threads, in full and in crowded tables.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "kernels/device_segment_tables.h"
#include "kernels/host_device.h"
#include "kernels/tile_sizes.h"

namespace warpmeter::test {
namespace {

// Enters key[i], or looks for it, and keeps the slot.
struct InsertKeys {
  SegmentTableRef table;
  const std::uint64_t* key;
  std::uint32_t* slot;
  bool enter;

  template <class Tile>
  void operator()(Tile& tile, std::uint32_t i) const {
    const std::uint32_t found = enter ? table.insert(tile, key[i]) : table.find(tile, key[i]);
    if (tile.rank() == 0) slot[i] = found;
  }
};

class SegmentTableSlots : public testing::TestWithParam<unsigned> {
 protected:
  std::vector<std::uint32_t> insert(SegmentTableRef table, const std::vector<std::uint64_t>& keys) {
    return launch(table, keys, true);
  }
  std::vector<std::uint32_t> find(SegmentTableRef table, const std::vector<std::uint64_t>& keys) {
    return launch(table, keys, false);
  }

  // Each key has one slot with itself in it, wherever it is asked for.
  void check_inserted(SegmentTableRef table, const std::vector<std::uint64_t>& keys) {
    const std::vector<std::uint32_t> slots = insert(table, keys);
    std::map<std::uint64_t, std::uint32_t> slot_of;
    std::set<std::uint32_t> taken;
    for (std::size_t i = 0; i < keys.size(); ++i) {
      ASSERT_LT(slots[i], table.slots);
      ASSERT_EQ(table.slot[slots[i]].key, keys[i]);
      ASSERT_EQ(slot_of.try_emplace(keys[i], slots[i]).first->second, slots[i]);
      taken.insert(slots[i]);
    }
    ASSERT_EQ(taken.size(), slot_of.size());
    ASSERT_EQ(find(table, keys), slots);
    ASSERT_EQ(insert(table, keys), slots);
  }

 private:
  std::vector<std::uint32_t> launch(SegmentTableRef table, const std::vector<std::uint64_t>& keys, bool enter) {
    std::vector<std::uint32_t> slots(keys.size());
    device_.launch(InsertKeys{table, keys.data(), slots.data(), enter}, static_cast<std::uint32_t>(keys.size()),
                   GetParam());
    return slots;
  }

  HostDevice device_{{.threads = 4, .tiles = 6}};
};

std::vector<std::uint64_t> distinct_keys(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::set<std::uint64_t> keys;
  while (keys.size() < count) {
    keys.insert(
        SegmentTableRef::key_of(static_cast<std::uint32_t>(random() % 7), static_cast<std::uint32_t>(random())));
  }
  return {keys.begin(), keys.end()};
}

// Keys that begin in the same bucket as the first.
std::vector<std::uint64_t> keys_of_one_bucket(SegmentTableRef table, std::size_t count) {
  std::vector<std::uint64_t> keys;
  for (std::uint64_t key = 0; keys.size() < count; ++key) {
    if (table.bucket_of(key) == table.slots - SegmentTableRef::kSlotsPerBucket) keys.push_back(key);
  }
  return keys;
}

std::vector<std::uint64_t> repeated(const std::vector<std::uint64_t>& keys, std::size_t times, std::uint64_t seed) {
  std::vector<std::uint64_t> all;
  for (std::size_t i = 0; i < times; ++i) all.insert(all.end(), keys.begin(), keys.end());
  std::mt19937_64 random(seed);
  std::shuffle(all.begin(), all.end(), random);
  return all;
}

TEST_P(SegmentTableSlots, EveryKeyHasOneAtTheLoadLimit) {
  constexpr std::size_t kSlots = 256, kFull = static_cast<std::size_t>(kSlots * kSegmentLoad);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    DeviceSegmentTables tables(kSlots, 0, seed);
    check_inserted(tables.current(), repeated(distinct_keys(kFull, seed), 3, seed));
  }
}

TEST_P(SegmentTableSlots, EveryKeyHasOneUntilASingleSlotIsFree) {
  for (const std::size_t slots : {4u, 8u, 64u}) {
    DeviceSegmentTables tables(slots, 0);
    const auto keys = distinct_keys(slots, 1);
    check_inserted(tables.current(), repeated({keys.begin() + 1, keys.end()}, 4, 2));
    EXPECT_EQ(find(tables.current(), {keys[0]})[0], SegmentTableRef::kNotFound);
  }
}

// From the last bucket over the end of the table.
TEST_P(SegmentTableSlots, KeysOfOneBucketGoOnIntoTheNext) {
  DeviceSegmentTables tables(128, 0);
  const auto keys = keys_of_one_bucket(tables.current(), 80);
  check_inserted(tables.current(), repeated({keys.begin(), keys.begin() + 76}, 4, 1));
  for (const std::uint32_t slot : find(tables.current(), {keys.begin() + 76, keys.end()})) {
    EXPECT_EQ(slot, SegmentTableRef::kNotFound);
  }
}

TEST_P(SegmentTableSlots, FewNewKeysOfManyMeet) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    DeviceSegmentTables tables(16, 0);
    check_inserted(tables.current(), repeated(distinct_keys(4, seed), 50, seed));
  }
}

TEST_P(SegmentTableSlots, EmptyTableAndNoTableHoldNothing) {
  DeviceSegmentTables tables(64, 0);
  SegmentTableRef table = tables.current();
  const auto keys = distinct_keys(40, 1);
  const std::vector<std::uint32_t> none(keys.size(), SegmentTableRef::kNotFound);
  EXPECT_EQ(find(table, keys), none);
  table.slots = 0;
  table.slot = nullptr;
  EXPECT_EQ(find(table, keys), none);
}

INSTANTIATE_TEST_SUITE_P(Sizes, SegmentTableSlots, testing::ValuesIn(tile_sizes()));

TEST(SegmentTableSlot, KeysOfLargeNumbersAreDistinctAndNeverEmpty) {
  constexpr std::uint32_t kLastFlow = (std::uint32_t{1} << 30) - 1;
  EXPECT_EQ(SegmentTableRef::key_of(1, 2), 0x100000002u);
  EXPECT_NE(SegmentTableRef::key_of(kLastFlow, UINT32_MAX), SegmentTableRef::kEmpty);
  EXPECT_NE(SegmentTableRef::key_of(kLastFlow, UINT32_MAX), SegmentTableRef::key_of(kLastFlow - 1, UINT32_MAX));
}

TEST(SegmentTableSlot, MemoryOfOnesIsEmptyAndOlderThanNoArrival) {
  DeviceSegmentTables tables(4, 1);
  const SegmentTableRef table = tables.current();
  EXPECT_EQ(table.slot[3].key, SegmentTableRef::kEmpty);
  EXPECT_EQ(table.slot[3].arrival, UINT32_MAX);
  EXPECT_EQ(table.latest_ns[3], SegmentTableRef::kNoTime);
  EXPECT_LT(SegmentTableRef::kNoTime, -(std::int64_t{1} << 62));
}

}  // namespace
}  // namespace warpmeter::test
