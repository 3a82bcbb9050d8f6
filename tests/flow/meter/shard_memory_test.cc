// What a shard lets go when it needs room: idle flows first, then the longest idle; the same for any batch size.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

#include "flow/meter/shard_driver.h"
#include "support/fewer.h"

namespace warpmeter {
namespace {

using test::flow_memory_for;
using test::meter_options;
using test::numbered_key;
using test::ShardDriver;
using test::ShardPacket;
using test::test_segment;

constexpr std::uint64_t kRoomFor52 = 9'120;  // as worked out in flow_table_test.cc
constexpr std::uint32_t kFirstRoom = 768;    // of a table with plenty of memory

TEST(ShardMemory, IdleFlowsLeaveWhenTheTableIsFull) {
  ShardDriver driver(meter_options());
  for (std::uint32_t i = 0; i < kFirstRoom; ++i) driver.packet(i, test_segment(i < 700 ? 0 : 1));
  driver.packet(kFirstRoom, test_segment(1001));
  EXPECT_EQ(driver.shard().counters().expired, 700u);
  EXPECT_EQ(driver.shard().counters().evicted, 0u);
  ASSERT_EQ(driver.ended().size(), 700u);
  for (const Partial& r : driver.ended()) {
    ASSERT_EQ(r.end_reason, EndReason::idle);
    ASSERT_EQ(r.removal, Removal::expired);
  }
  EXPECT_EQ(driver.drain().size(), kFirstRoom + 1);
}

TEST(ShardMemory, FlowsThatAreNotYetIdleStay) {
  ShardDriver driver(meter_options());
  for (std::uint32_t i = 0; i < kFirstRoom; ++i) driver.packet(i, test_segment(0));
  driver.packet(kFirstRoom, test_segment(1000));
  EXPECT_TRUE(driver.ended().empty());
  EXPECT_EQ(driver.shard().counters().peak_live_flows, kFirstRoom + 1);
}

// Times may run backwards, and nobody may be overlooked because others are not idle yet or left before.
TEST(ShardMemory, IdleFlowsLeaveWhateverTheOrderOfTimes) {
  ShardDriver driver(meter_options());
  std::uint32_t flow = 0;
  const auto fill = [&](std::uint32_t until, std::int64_t time_ns) {
    for (; flow < until; ++flow) driver.packet(flow, test_segment(time_ns));
  };
  fill(kFirstRoom - 1, 2000);
  fill(kFirstRoom, 0);  // the last one is the earliest
  fill(kFirstRoom + 1, 2500);
  EXPECT_EQ(driver.shard().counters().expired, 1u);
  fill(2 * kFirstRoom + 1, 2600);  // the table has grown, and is full again
  fill(2 * kFirstRoom + 2, 3001);
  EXPECT_EQ(driver.shard().counters().expired, kFirstRoom) << "all of 2000";
  driver.packet(0, test_segment(1500));  // known no more
  fill(3 * kFirstRoom + 1, 3100);        // full again
  EXPECT_EQ(driver.shard().counters().expired, kFirstRoom + 1) << "that of 1500";
}

TEST(ShardMemory, WithoutIdleTimeoutNoFlowIsLetGo) {
  MeterOptions options = meter_options();
  options.timeouts.idle_ns = 0;
  ShardDriver driver(options);
  for (std::uint32_t i = 0; i < 3000; ++i) driver.packet(i, test_segment(1'000'000'000LL * i));
  EXPECT_TRUE(driver.ended().empty());
  EXPECT_EQ(driver.shard().counters().peak_live_flows, 3000u);
}

TEST(ShardMemory, OneEighthIsEvictedTheLongestIdleFirst) {
  ShardDriver driver(meter_options(flow_memory_for(kRoomFor52)));
  for (std::uint32_t i = 0; i < 52; ++i) driver.packet(i, test_segment(i));
  EXPECT_TRUE(driver.ended().empty());
  driver.packet(0, test_segment(52));  // flow 0 is the least idle now
  driver.packet(52, test_segment(53));
  ASSERT_EQ(driver.ended().size(), 6u);
  EXPECT_EQ(driver.shard().counters().evicted, 6u);
  std::set<std::int64_t> ends;
  for (const Partial& r : driver.ended()) {
    EXPECT_EQ(r.end_reason, EndReason::lack_of_resources);
    EXPECT_EQ(r.removal, Removal::evicted);
    ends.insert(r.end_ns);
  }
  EXPECT_EQ(ends, (std::set<std::int64_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(driver.drain().size(), 53u);
}

TEST(ShardMemory, IdleFlowsLeaveBeforeAnyIsEvicted) {
  ShardDriver driver(meter_options(flow_memory_for(kRoomFor52)));
  for (std::uint32_t i = 0; i < 52; ++i) driver.packet(i, test_segment(i < 7 ? 0 : 100));
  driver.packet(52, test_segment(1001));
  ASSERT_EQ(driver.ended().size(), 7u);
  for (const Partial& r : driver.ended()) EXPECT_EQ(r.removal, Removal::expired);
  EXPECT_EQ(driver.shard().counters().evicted, 0u);
}

// Or each packet could make one flow idle, and cost a look at all of them.
TEST(ShardMemory, WhereFewWereIdleOthersAreEvictedToo) {
  ShardDriver driver(meter_options(flow_memory_for(kRoomFor52)));
  for (std::uint32_t i = 0; i < 52; ++i) driver.packet(i, test_segment(i < 3 ? 0 : 100));
  driver.packet(52, test_segment(1001));
  EXPECT_EQ(driver.shard().counters().expired, 3u);
  EXPECT_EQ(driver.shard().counters().evicted, 6u);
  for (std::uint32_t i = 53; i < 61; ++i) driver.packet(i, test_segment(1002));
  EXPECT_EQ(driver.ended().size(), 9u);  // nobody had to go again
}

TEST(ShardMemory, EvictedFlowReportsItsHoles) {
  ShardDriver driver(meter_options(flow_memory_for(kRoomFor52)));
  driver.packet(0, test_segment(0).tcp(1000, 16, 10));
  driver.packet(0, test_segment(0).tcp(1030, 16, 10));
  for (std::uint32_t i = 1; i <= 52; ++i) driver.packet(i, test_segment(i));
  ASSERT_EQ(driver.ended().size(), 6u);
  const auto first = std::ranges::find(driver.ended(), 1u, &FlowRecord::arrival);
  ASSERT_NE(first, driver.ended().end());
  EXPECT_EQ(first->removal, Removal::evicted);
  EXPECT_EQ(first->missing_bytes, 20u);
}

// Whatever --memory, and whatever other flows of the shard have.
TEST(ShardMemory, HolesBeyondAMillionOfAFlowAreDroppedAndCounted) {
  for (const std::uint64_t gib : {0, 1, 64}) {
    if (gib == test::if_long<std::uint64_t>(2, 1)) continue;
    ShardDriver driver(meter_options(gib ? gib << 30 : flow_memory_for(kRoomFor52)));
    constexpr std::uint32_t kHoles = 1 << 20;
    for (std::uint32_t i = 0; i <= kHoles + 5; ++i) {
      driver.packet(1, test_segment(0).tcp(20 * i, 16, 10));
      if (i < 1000) driver.packet(2, test_segment(0).tcp(20 * i, 16, 10));
    }
    EXPECT_EQ(driver.shard().counters().dropped_holes, 5u);
    EXPECT_EQ(driver.drain()[0].missing_bytes, 10u * kHoles);
    EXPECT_EQ(driver.ended().back().missing_bytes, 10u * 999);
  }
}

TEST(ShardMemory, EndedFlowsGiveTheirHolesBack) {
  ShardDriver driver(meter_options(flow_memory_for(kRoomFor52)));
  for (std::int64_t i = 0; i < 5000; ++i) {
    driver.packet(1, test_segment(2000 * i).tcp(1000, 16, 10));
    driver.packet(1, test_segment(2000 * i).tcp(1020, 16, 10));
  }
  EXPECT_EQ(driver.drain().size(), 5000u);
  EXPECT_EQ(driver.ended().back().missing_bytes, 10u);
  EXPECT_EQ(driver.shard().counters().dropped_holes, 0u);
}

std::vector<ShardPacket> busy_traffic(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ShardPacket> packets;
  std::int64_t time = 0;
  for (int i = 0; i < 6000; ++i) {
    time += static_cast<std::int64_t>(random() % 5);
    const auto flow = static_cast<std::uint32_t>(random() % (random() % 2 ? 20 : 300));
    auto segment = test_segment(time).identified(random() % 4);
    if (flow % 3) segment.tcp(static_cast<std::uint32_t>(random() % 500), random() % 20 ? 16 : kSyn, random() & 31);
    packets.push_back({numbered_key(flow), segment});
  }
  return packets;
}

class ShardBatches : public testing::TestWithParam<std::size_t> {};

TEST_P(ShardBatches, EvictsTheSameWhateverTheBatchAndTheSeed) {
  const auto packets = busy_traffic(8);
  const MeterOptions options = meter_options(flow_memory_for(kRoomFor52));
  ShardDriver whole(options, 1), cut(options, 2 + GetParam());
  whole.meter(packets, packets.size());
  cut.meter(packets, GetParam());
  EXPECT_GT(whole.shard().counters().evicted, 100u);
  EXPECT_EQ(whole.shard().counters().evicted, cut.shard().counters().evicted);
  const auto &expected = whole.drain(), &got = cut.drain();
  ASSERT_EQ(expected.size(), got.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(std::memcmp(&expected[i], &got[i], sizeof(Partial)), 0) << "partial " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, ShardBatches, testing::Values(1, 2, 7, 64, 1000));

}  // namespace
}  // namespace warpmeter
