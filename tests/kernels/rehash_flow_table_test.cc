// The flow table made anew: every living key finds its old id, every other id is free once, and no other key is known;
// for all tile sizes. And when keys are taken at all.
#include "rehash_flow_table.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "kernels/device_flow_table.h"
#include "kernels/guarded_hole_pool.h"
#include "kernels/host_device.h"
#include "kernels/tile_sizes.h"
#include "support/flow_key_maker.h"

namespace warpmeter::test {
namespace {

constexpr std::uint64_t kSeed = 12345;

class RehashedTable : public testing::TestWithParam<unsigned> {
 protected:
  DeviceBatch batch_of(const DeviceFlowTable& table, const std::vector<std::uint32_t>& keys) {
    std::vector<Packet> packets;
    for (const std::uint32_t key : keys) {
      packets.push_back({numbered_key(key), hash_flow(numbered_key(key), kSeed).hash, {}, packets.size() + 1});
    }
    return DeviceBatch(packets, 0, packets.size(), 0, table.capacity());
  }

  // Flow ids by key; capacity() where there is none.
  std::map<std::uint32_t, std::uint32_t> ids_of(DeviceFlowTable& table, const std::vector<std::uint32_t>& keys,
                                                bool may_claim) {
    DeviceBatch batch = batch_of(table, keys);
    table.find_flows(device_, batch, may_claim, GetParam());
    std::map<std::uint32_t, std::uint32_t> ids;
    for (std::size_t i = 0; i < keys.size(); ++i) ids[keys[i]] = batch.flow[i];
    return ids;
  }

  // Free ids, each once.
  std::set<std::uint32_t> free_ids(const DeviceFlowTable& table) {
    const std::vector<std::uint32_t> listed = table.free_ids();
    const std::set<std::uint32_t> free(listed.begin(), listed.end());
    EXPECT_EQ(free.size(), listed.size());
    return free;
  }

  static std::vector<std::uint32_t> keys(std::uint32_t begin, std::uint32_t end) {
    std::vector<std::uint32_t> keys;
    for (std::uint32_t key = begin; key < end; ++key) keys.push_back(key);
    return keys;
  }

  static std::vector<std::uint32_t> keys_of_one_bucket(DeviceFlowTable& table, std::size_t count) {
    std::vector<std::uint32_t> keys;
    for (std::uint32_t key = 0; keys.size() < count; ++key) {
      if (table.ref().bucket_of(hash_flow(numbered_key(key), kSeed).hash) == 120) keys.push_back(key);
    }
    return keys;
  }

  static constexpr std::uint32_t kProbes = 8;
  HostDevice device_{{.threads = 4, .seed = 5, .tiles = 5}};
};

TEST_P(RehashedTable, OfNoKeysHasAllIdsFree) {
  for (const std::uint32_t capacity : {1u, 5u, 32u, 33u, 100u}) {
    DeviceFlowTable table(256, 256, capacity);
    for (const bool rehashed : {false, true}) {
      if (rehashed) table.rehash(device_, false, kSeed, GetParam());
      const std::set<std::uint32_t> free = free_ids(table);
      EXPECT_EQ(free.size(), capacity);
      EXPECT_EQ(*free.rbegin(), capacity - 1);
      EXPECT_EQ(table.room.given, 0u);
    }
    for (const auto& [key, id] : ids_of(table, keys(0, 50), false)) EXPECT_EQ(id, capacity);
  }
}

TEST_P(RehashedTable, OfAllKeysHasNoneFree) {
  for (const std::uint32_t capacity : {1u, 5u, 32u, 33u, 100u}) {
    DeviceFlowTable table(256, 256, capacity);
    const auto before = ids_of(table, keys(0, capacity), true);
    for (std::uint32_t id = 0; id < capacity; ++id) table.state(id).bits = kInUse;
    table.rehash(device_, false, kSeed, GetParam());
    EXPECT_EQ(table.room.free, 0u);
    EXPECT_EQ(table.room.lost, 0u);
    EXPECT_EQ(ids_of(table, keys(0, capacity), false), before);
  }
}

// Again and again: some flows end, others come.
TEST_P(RehashedTable, KnowsTheLivingByTheirOldIdsAndNobodyElse) {
  constexpr std::uint32_t kCapacity = 77;
  std::mt19937_64 random(GetParam());
  DeviceFlowTable table(128, 128, kCapacity);
  std::map<std::uint32_t, std::uint32_t> living;
  std::uint32_t next_key = 0;
  for (int round = 0; round < 12; ++round) {
    const auto room = static_cast<std::uint32_t>(table.free_ids().size());
    const std::uint32_t come = room ? static_cast<std::uint32_t>(random() % room) + 1 : 0;
    for (const auto& [key, id] : ids_of(table, keys(next_key, next_key + come), true)) {
      ASSERT_LT(id, kCapacity);
      ASSERT_TRUE(living.emplace(key, id).second);
      table.state(id).bits = random() % 5 ? kInUse : kInUse | kOnCpu;
      table.state(id).holes = key;
    }
    next_key += come;
    std::erase_if(living, [&](const auto& flow) {
      const bool goes = random() % 3 == 0;
      if (goes) table.state(flow.second).bits = random() % 2 ? kReleased : 0;
      return goes;
    });
    table.rehash(device_, false, kSeed, GetParam());
    std::map<std::uint32_t, std::uint32_t> expected;
    for (const std::uint32_t key : keys(0, next_key + 20)) {
      expected[key] = living.contains(key) ? living[key] : kCapacity;
    }
    ASSERT_EQ(ids_of(table, keys(0, next_key + 20), false), expected) << "round " << round;
    std::set<std::uint32_t> free = free_ids(table);
    ASSERT_EQ(free.size() + living.size(), kCapacity);
    for (const auto& [key, id] : living) {
      ASSERT_FALSE(free.contains(id));
      ASSERT_EQ(table.state(id).holes, key);  // states stay as they are
    }
    for (const std::uint32_t id : free) ASSERT_EQ(table.state(id).bits, 0);
    ASSERT_EQ(table.room.released, 0u);
    ASSERT_EQ(table.room.lost, 0u);
  }
}

TEST_P(RehashedTable, SaysThatAFlowFoundNoPlace) {
  for (const bool too_many : {false, true}) {
    DeviceFlowTable table(128, kProbes, 40);
    const std::vector<std::uint32_t> crowd = keys_of_one_bucket(table, kProbes + too_many);
    for (std::uint32_t i = 0; i < crowd.size(); ++i) {
      table.state(30 + i).key = numbered_key(crowd[i]);
      table.state(30 + i).bits = kInUse;
    }
    table.rehash(device_, false, kSeed, GetParam());
    EXPECT_EQ(table.room.lost, too_many);
  }
}

TEST_P(RehashedTable, ForgetsFlowsOnTheCpuAndTakesThemFromTheHostAnew) {
  constexpr std::uint32_t kCapacity = 50;
  DeviceFlowTable table(128, 128, kCapacity);
  HoleMemory memory(64);
  const auto before = ids_of(table, keys(0, 40), true);
  for (const auto& [key, id] : before) {
    table.state(id).bits = key % 2 ? kInUse | kOnCpu : kInUse;
    table.state(id).holes = key % 3 ? 0 : memory.ref().take(0) + 1;
  }
  device_.launch(ForgetFlowsOnCpu{table.ref().state, memory.ref()}, kCapacity);
  EXPECT_EQ(memory.counters.tail[0], 7u);  // of 3, 9, 15, ... 39
  table.rehash(device_, true, kSeed, GetParam());
  for (const auto& [key, id] : ids_of(table, keys(0, 40), false)) EXPECT_EQ(id, key % 2 ? kCapacity : before.at(key));
  std::vector<FlowOnCpu> on_cpu;
  for (const std::uint32_t key : {1u, 7u, 100u, 101u, 102u}) on_cpu.push_back({numbered_key(key), 1000 + key});
  device_.launch(EnterFlowsOnCpu{table.ref(), on_cpu.data(), kSeed}, 5);
  EXPECT_EQ(table.room.lost, 0u);
  EXPECT_EQ(table.room.given, 5u);
  const auto after = ids_of(table, {1, 7, 100, 101, 102, 0, 2, 3}, false);
  std::set<std::uint32_t> ids;
  for (const std::uint32_t key : {1u, 7u, 100u, 101u, 102u}) {
    const std::uint32_t id = after.at(key);
    ASSERT_LT(id, kCapacity);
    EXPECT_TRUE(ids.insert(id).second);
    const FlowState& f = table.state(id);
    EXPECT_TRUE(f.key == numbered_key(key));
    EXPECT_EQ(f.end_ns, 1000 + key);
    EXPECT_EQ(f.bits, kInUse | kOnCpu);
    EXPECT_EQ(f.holes, 0u);
  }
  EXPECT_EQ(after.at(0), before.at(0));
  EXPECT_EQ(after.at(3), kCapacity);
  EXPECT_EQ(free_ids(table).size(), kCapacity - 25);
}

TEST_P(RehashedTable, SaysThatAFlowOnTheCpuFoundNoPlace) {
  for (const bool too_many : {false, true}) {
    DeviceFlowTable table(128, kProbes, 40);
    std::vector<FlowOnCpu> on_cpu;
    for (const std::uint32_t key : keys_of_one_bucket(table, kProbes + too_many)) {
      on_cpu.push_back({numbered_key(key), 0});
    }
    device_.launch(EnterFlowsOnCpu{table.ref(), on_cpu.data(), kSeed}, static_cast<std::uint32_t>(on_cpu.size()));
    EXPECT_EQ(table.room.lost, too_many);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, RehashedTable, testing::ValuesIn(tile_sizes()));

TEST(BeginRehash, KeepsWhatIsKnownOfRefusalsUnlessKeysShallBeTakenAgain) {
  Tile1 tile;
  for (const bool again : {false, true}) {
    FlowRoom room{.given = 5, .free = 9, .released = 3, .open = 0, .refused = 1, .lost = 1};
    BeginRehash{&room, again}(tile, 0);
    EXPECT_EQ(room.given + room.free + room.released, 0u);
    EXPECT_EQ(room.open, again);
    EXPECT_EQ(room.refused, !again);
    EXPECT_EQ(room.lost, 1u);  // never forgotten
  }
}

class BatchBeginning : public testing::Test {
 protected:
  // Of a batch of `count` segments.
  void begin(std::uint32_t count) {
    Tile1 tile;
    BeginBatch{&room_, count}(tile, 0);
  }
  FlowRoom room_{.given = 10, .free = 30, .released = 0, .open = 1, .refused = 0, .lost = 0};
};

TEST_F(BatchBeginning, KeepsOpenWhatSurelyHasRoom) {
  begin(20);
  EXPECT_TRUE(room_.open);
  begin(0);
  EXPECT_TRUE(room_.open);
}

TEST_F(BatchBeginning, ClosesWhereThereMayBeTooManyKeysAndStaysClosed) {
  begin(21);
  EXPECT_FALSE(room_.open);
  begin(1);
  EXPECT_FALSE(room_.open);
  room_.given = 0;
  begin(0);
  EXPECT_FALSE(room_.open);
}

TEST_F(BatchBeginning, ClosesWhereAKeyWasRefusedAndStaysClosed) {
  room_.refused = 1;
  begin(1);
  EXPECT_FALSE(room_.open);
  room_.refused = 0;
  begin(1);
  EXPECT_FALSE(room_.open);
}

TEST_F(BatchBeginning, ReleasedFlowsAreNoRoomYet) {
  room_.released = 100;
  begin(21);
  EXPECT_FALSE(room_.open);
}

// Where there is no room, a key is refused, and that is noted; one that is known is not.
TEST(FlowTableRoom, NotesRefusedKeys) {
  DeviceFlowTable table(64, 64, 30);
  HostDevice device({});
  const std::vector<Packet> packets = {{numbered_key(1), 1, {}, 1}, {numbered_key(2), 2, {}, 2}};
  const auto find = [&](std::size_t end, bool may_claim) {
    DeviceBatch batch(packets, 0, end, 0, 30);
    table.find_flows(device, batch, may_claim, 1);
    return batch.flow.back();
  };
  EXPECT_EQ(find(1, true), 0u);
  EXPECT_EQ(table.room.refused, 0u);
  EXPECT_EQ(find(1, false), 0u);
  EXPECT_EQ(table.room.refused, 0u);
  EXPECT_EQ(find(2, false), 30u);
  EXPECT_EQ(table.room.refused, 1u);
}

}  // namespace
}  // namespace warpmeter::test
