// Every Flow Key gets one flow id and keeps it, whatever the tile size, the order of lanes and the threads; or none,
// then for ever. Compared with a std::map.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "kernels/device_flow_table.h"
#include "kernels/host_device.h"
#include "kernels/tile_sizes.h"
#include "support/flow_key_maker.h"

namespace warpmeter::test {
namespace {

constexpr unsigned kThreads = 4;
constexpr unsigned kCrowd = 6;  // tiles of fibers at a time

// How the hashes of different keys meet.
enum class Meeting { seldom, bucket, tag, hash };

std::uint64_t hash_of(std::uint32_t key, Meeting meeting) {
  const std::uint64_t low = key * std::uint64_t{0x9e3779b1} & 0xffffffff;
  const std::uint64_t high = key * std::uint64_t{0x85ebca6b} & 0x7fffffff;
  switch (meeting) {
    case Meeting::seldom: return high << 33 | low;
    case Meeting::bucket: return high << 33 | 0x3f8;  // of tables of up to 1024 slots the last bucket
    case Meeting::tag: return std::uint64_t{77} << 33 | low;
    case Meeting::hash: break;
  }
  return 0x123456789abcdef0;
}

// A trace without anything but its keys.
std::vector<Packet> packets_of(const std::vector<std::uint32_t>& keys, Meeting meeting) {
  std::vector<Packet> packets;
  for (const std::uint32_t key : keys) {
    packets.push_back({numbered_key(key), hash_of(key, meeting), {}, packets.size() + 1});
  }
  return packets;
}

std::vector<std::uint32_t> random_keys(std::size_t count, std::uint32_t different, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> keys(count);
  for (std::uint32_t& key : keys) key = static_cast<std::uint32_t>(random() % different);
  return keys;
}

std::vector<std::uint32_t> numbers(std::uint32_t begin, std::uint32_t end) {
  std::vector<std::uint32_t> keys;
  for (std::uint32_t key = begin; key < end; ++key) keys.push_back(key);
  return keys;
}

// A table, and what it has said about every key so far.
class KnownFlows {
 public:
  KnownFlows(DeviceFlowTable& table, unsigned tile, Meeting meeting)
      : table_(table), tile_(tile), meeting_(meeting), device_({.threads = kThreads, .tiles = kCrowd}) {}

  // Brings a batch to the table and checks all that must hold.
  void batch(const std::vector<std::uint32_t>& keys, bool may_claim = true) {
    const std::vector<Packet> packets = packets_of(keys, meeting_);
    DeviceBatch batch(packets, 0, packets.size(), 0, table_.capacity());
    table_.find_flows(device_, batch, may_claim, tile_);
    const std::size_t known_before = taken();
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const auto [known, is_new] = flow_of_.try_emplace(keys[i], batch.flow[i]);
      ASSERT_EQ(known->second, batch.flow[i]) << "key " << keys[i] << " at " << i;
      ASSERT_EQ(batch.mark[i], 0);
      if (is_new && batch.flow[i] != table_.capacity()) check_new(keys[i], batch.flow[i]);
    }
    ASSERT_EQ(taken(), table_.ids_given());
    if (!may_claim) {
      ASSERT_EQ(taken(), known_before);
    }
  }

  std::size_t taken() const { return key_of_.size(); }
  std::size_t refused() const { return flow_of_.size() - taken(); }

 private:
  void check_new(std::uint32_t key, std::uint32_t flow) {
    ASSERT_LT(flow, table_.ids_given());
    ASSERT_TRUE(key_of_.emplace(flow, key).second) << "key " << key << " has the flow id of another";
    ASSERT_TRUE(table_.state(flow).key == numbered_key(key));
    ASSERT_EQ(table_.state(flow).bits, 0) << "in use before its first packet";
  }

  DeviceFlowTable& table_;
  const unsigned tile_;
  const Meeting meeting_;
  HostDevice device_;
  std::map<std::uint32_t, std::uint32_t> flow_of_;  // by key
  std::map<std::uint32_t, std::uint32_t> key_of_;   // by flow id
};

class FlowTable : public testing::TestWithParam<unsigned> {
 protected:
  // body(known) for a new table of each kind of meeting.
  template <class Body>
  static void in_tables(std::uint32_t slots, std::uint32_t capacity, const Body& body) {
    for (const Meeting meeting : {Meeting::seldom, Meeting::bucket, Meeting::tag, Meeting::hash}) {
      SCOPED_TRACE(static_cast<int>(meeting));
      DeviceFlowTable table(slots, slots, capacity);
      KnownFlows known(table, GetParam(), meeting);
      body(known);
    }
  }
};

TEST_P(FlowTable, GivesEveryKeyOneIdForEver) {
  in_tables(1024, 600, [](KnownFlows& known) {
    for (std::uint64_t batch = 0; batch < 8; ++batch) {
      known.batch(random_keys(150, static_cast<std::uint32_t>(50 * (batch + 1)), batch));
    }
    EXPECT_GT(known.taken(), 200u);
    EXPECT_EQ(known.refused(), 0u);
  });
}

TEST_P(FlowTable, ManySegmentsOfFewNewKeysMeet) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    in_tables(64, 64, [seed](KnownFlows& known) {
      known.batch(random_keys(400, 5, seed));
      EXPECT_EQ(known.taken(), 5u);
      EXPECT_EQ(known.refused(), 0u);
    });
  }
}

TEST_P(FlowTable, FullTableKnowsItsKeysAndRefusesAllOthersForEver) {
  in_tables(64, 100, [](KnownFlows& known) {
    known.batch(random_keys(300, 90, 1));
    EXPECT_EQ(known.taken(), 64u);  // and which those are is nobody's business
    EXPECT_GT(known.refused(), 10u);
    known.batch(numbers(0, 120));
    known.batch(random_keys(300, 120, 2));
    EXPECT_EQ(known.taken(), 64u);
    EXPECT_EQ(known.refused(), 56u);
  });
}

TEST_P(FlowTable, WithoutLeaveFindsOldKeysAndEntersNone) {
  in_tables(256, 100, [](KnownFlows& known) {
    known.batch(numbers(0, 40));
    known.batch(numbers(20, 70), false);
    EXPECT_EQ(known.taken(), 40u);
    EXPECT_EQ(known.refused(), 30u);
    known.batch(random_keys(300, 90, 1), false);
    EXPECT_EQ(known.refused(), 50u);
  });
}

TEST_P(FlowTable, WithoutLeaveAnEmptyTableFindsNothing) {
  in_tables(64, 100, [](KnownFlows& known) {
    known.batch(numbers(0, 30), false);
    EXPECT_EQ(known.taken(), 0u);
  });
}

// The smallest that there is: a bucket of slots, fewer than the lanes of some tiles.
TEST_P(FlowTable, OfOneBucketWorksForTilesThatAreLarger) {
  in_tables(kSlotsPerBucket, kSlotsPerBucket, [](KnownFlows& known) {
    known.batch(random_keys(50, 5, 1));
    EXPECT_EQ(known.refused(), 0u);
    known.batch(random_keys(200, 40, 2));
    EXPECT_EQ(known.taken(), kSlotsPerBucket);
  });
}

TEST_P(FlowTable, OfCapacityOneTakesOneKey) {
  in_tables(kSlotsPerBucket, 1, [](KnownFlows& known) {
    known.batch(std::vector<std::uint32_t>(100, 7));
    known.batch(numbers(0, 30), false);  // the Engine gives no leave where ids could run out
    EXPECT_EQ(known.taken(), 1u);
    EXPECT_EQ(known.refused(), 29u);
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, FlowTable, testing::ValuesIn(tile_sizes()));

class ProbeLimit : public testing::TestWithParam<unsigned> {};

// All keys begin in the last bucket of the table, so the probes run over its end.
TEST_P(ProbeLimit, EndsTheSearchForGood) {
  constexpr std::uint32_t kProbes = 32;
  for (const Meeting meeting : {Meeting::bucket, Meeting::hash}) {
    DeviceFlowTable table(1024, kProbes, 600);
    KnownFlows known(table, GetParam(), meeting);
    known.batch(random_keys(200, 80, 1));
    EXPECT_EQ(known.taken(), kProbes);
    EXPECT_GT(known.refused(), 20u);
    known.batch(numbers(0, 100));
    known.batch(random_keys(200, 120, 2));
    known.batch(random_keys(200, 120, 3), false);
    EXPECT_EQ(known.taken(), kProbes);
  }
}

// There is room, but not within the probes; other buckets are not concerned.
TEST_P(ProbeLimit, ConcernsItsBucketsAlone) {
  DeviceFlowTable table(1024, 32, 600);
  const std::vector<std::uint32_t> crowd = numbers(0, 60), others = numbers(1000, 1020);
  std::vector<Packet> packets = packets_of(crowd, Meeting::bucket);
  for (Packet packet : packets_of(others, Meeting::bucket)) {
    packet.hash = (packet.hash & ~std::uint64_t{1023}) | 512;
    packet.number += crowd.size();
    packets.push_back(packet);
  }
  HostDevice device({.threads = kThreads, .tiles = kCrowd});
  DeviceBatch batch(packets, 0, packets.size(), 0, table.capacity());
  table.find_flows(device, batch, true, GetParam());
  EXPECT_EQ(table.ids_given(), 32 + others.size());
  for (std::size_t i = crowd.size(); i < packets.size(); ++i) EXPECT_NE(batch.flow[i], table.capacity());
}

INSTANTIATE_TEST_SUITE_P(Sizes, ProbeLimit, testing::ValuesIn(tile_sizes()));

// For ThreadSanitizer above all.
TEST(FlowTableInThreads, EqualNewKeysOfAllThreadsGetOneId) {
  constexpr std::uint32_t kKeys = 64, kBatch = 20'000;
  for (const Meeting meeting : {Meeting::seldom, Meeting::bucket, Meeting::hash}) {
    DeviceFlowTable table(256, 256, 100);
    KnownFlows known(table, 1, meeting);
    known.batch(random_keys(kBatch, kKeys, 1));
    EXPECT_EQ(known.taken(), kKeys);
    known.batch(random_keys(kBatch, kKeys + 10, 2));
    EXPECT_EQ(known.taken(), kKeys + 10);
  }
}

}  // namespace
}  // namespace warpmeter::test
