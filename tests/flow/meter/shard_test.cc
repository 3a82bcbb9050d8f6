// A shard from packets to partials: boundaries, duplicates, counters that are handed on, the drain.
#include "flow/meter/shard.h"

#include <gtest/gtest.h>

#include <cstring>

#include "flow/meter/shard_driver.h"
#include "support/lower_full_counter.h"

namespace warpmeter {
namespace {

using test::FullCounter;
using test::meter_options;
using test::ShardDriver;
using test::test_segment;

TEST(Shard, CountsOneFlow) {
  ShardDriver driver(meter_options());
  driver.packet(1, test_segment(100).tcp(1000, kSyn));
  driver.packet(1, test_segment(110).tcp(1001, kAck, 100));
  driver.packet(1, test_segment(120).tcp(1201, kAck, 50));   // a hole of 100
  driver.packet(1, test_segment(130).tcp(1001, kAck, 100));  // again
  driver.packet(1, test_segment(140).tcp(1101, kAck, 40));   // fills a part of the hole
  driver.packet(1, test_segment(150).tcp(1251, kFin | kAck));
  ASSERT_EQ(driver.drain().size(), 1u);
  const Partial& r = driver.ended()[0];
  EXPECT_EQ(r.start_ns, 100);
  EXPECT_EQ(r.end_ns, 150);
  EXPECT_EQ(r.arrival, 1u);
  EXPECT_EQ(r.packets, 6u);
  EXPECT_EQ(r.bytes, 6 * 40u + 290);
  EXPECT_EQ(r.payload_bytes, 290u);
  EXPECT_EQ(r.data_segments, 4u);
  EXPECT_EQ(r.retransmitted_segments, 1u);
  EXPECT_EQ(r.retransmitted_bytes, 100u);
  EXPECT_EQ(r.out_of_order_segments, 1u);
  EXPECT_EQ(r.missing_bytes, 60u);
  EXPECT_EQ(r.connection_bytes, 250);
  EXPECT_EQ(r.connection_ns, 50);
  EXPECT_EQ(r.end_reason, EndReason::end_of_flow);
}

TEST(Shard, IdleTimeoutIsPassedOneNanosecondLater) {
  ShardDriver driver(meter_options());
  driver.packet(1, test_segment(0));
  driver.packet(1, test_segment(1000));
  EXPECT_TRUE(driver.ended().empty());
  driver.packet(1, test_segment(2001));
  ASSERT_EQ(driver.ended().size(), 1u);
  EXPECT_EQ(driver.ended()[0].packets, 2u);
  EXPECT_EQ(driver.ended()[0].end_reason, EndReason::idle);
  EXPECT_EQ(driver.ended()[0].removal, Removal::none);
}

TEST(Shard, ActiveTimeoutHandsSequenceStateOn) {
  MeterOptions options = meter_options();
  options.timeouts.active_ns = 100;
  ShardDriver driver(options);
  driver.packet(1, test_segment(0).tcp(1000, kAck, 10));
  driver.packet(1, test_segment(99).tcp(1020, kAck, 10));   // a hole of 10
  driver.packet(1, test_segment(100).tcp(1000, kAck, 10));  // cuts, and comes again
  ASSERT_EQ(driver.drain(100).size(), 2u);
  const Partial &first = driver.ended()[0], &second = driver.ended()[1];
  EXPECT_EQ(first.end_reason, EndReason::active);
  EXPECT_EQ(first.missing_bytes, 0u);
  EXPECT_EQ(second.start_ns, 100);
  EXPECT_EQ(second.arrival, 3u);
  EXPECT_EQ(second.retransmitted_segments, 1u);
  EXPECT_EQ(second.missing_bytes, 10u);
}

TEST(Shard, SynOfAnotherConnectionStartsAFlow) {
  ShardDriver driver(meter_options());
  driver.packet(1, test_segment(0).tcp(1000, kSyn));
  driver.packet(1, test_segment(1).tcp(1000, kSyn));
  EXPECT_TRUE(driver.ended().empty());
  driver.packet(1, test_segment(2).tcp(1001, kSyn));
  ASSERT_EQ(driver.ended().size(), 1u);
  EXPECT_EQ(driver.ended()[0].packets, 2u);
  EXPECT_EQ(driver.ended()[0].end_reason, EndReason::end_of_flow);
}

TEST(Shard, DuplicateMovesTheEndAndNothingElse) {
  ShardDriver driver(meter_options());
  driver.packet(1, test_segment(0).tcp(1000, kAck, 10).identified(1));
  driver.packet(1, test_segment(30).tcp(1000, kAck, 10).identified(1));
  ASSERT_EQ(driver.drain().size(), 1u);
  const Partial& r = driver.ended()[0];
  EXPECT_EQ(r.packets, 2u);
  EXPECT_EQ(r.bytes, 100u);
  EXPECT_EQ(r.end_ns, 30);
  EXPECT_EQ(r.duplicate_packets, 1u);
  EXPECT_EQ(r.duplicate_bytes, 50u);
  EXPECT_EQ(r.data_segments, 1u);
  EXPECT_EQ(r.retransmitted_segments, 0u);
  EXPECT_EQ(driver.shard().counters().duplicate_packets, 1u);
}

TEST(Shard, DuplicateSynOpensNothing) {
  ShardDriver driver(meter_options());
  driver.packet(1, test_segment(0).tcp(1000, kSyn).identified(1));
  driver.packet(1, test_segment(1).tcp(2000, kSyn).identified(2));
  driver.packet(1, test_segment(2).tcp(1000, kSyn).identified(1));
  EXPECT_EQ(driver.ended().size(), 1u);
  ASSERT_EQ(driver.drain().size(), 2u);
  EXPECT_EQ(driver.ended()[1].packets, 2u);
  EXPECT_EQ(driver.ended()[1].syn_count, 1u);
}

TEST(Shard, DuplicateWindowCountsPacketsOfOtherFlows) {
  ShardDriver driver(meter_options());  // a window of 16
  driver.packet(1, test_segment(0).identified(1));
  for (std::uint32_t i = 0; i < 15; ++i) driver.packet(2, test_segment(0));
  driver.packet(1, test_segment(0).identified(1));
  EXPECT_EQ(driver.shard().counters().duplicate_packets, 1u);
  for (std::uint32_t i = 0; i < 16; ++i) driver.packet(2, test_segment(0));
  driver.packet(1, test_segment(0).identified(1));
  EXPECT_EQ(driver.shard().counters().duplicate_packets, 1u);
}

TEST(Shard, TimeThatRunsBackMovesTheStart) {
  ShardDriver driver(meter_options());
  driver.packet(1, test_segment(50'000));
  driver.packet(1, test_segment(20'000));
  driver.packet(1, test_segment(50'500));
  ASSERT_EQ(driver.ended().size(), 1u);  // the active timeout counts from the earliest time
  EXPECT_EQ(driver.ended()[0].start_ns, 20'000);
  EXPECT_EQ(driver.ended()[0].end_ns, 50'000);
  EXPECT_EQ(driver.ended()[0].end_reason, EndReason::active);
}

TEST(Shard, FullCountersAreSpilledAndAddedAgain) {
  const FullCounter full_counter(3);
  ShardDriver driver(meter_options());
  for (std::uint32_t i = 0; i < 7; ++i) driver.packet(1, test_segment(i).tcp(1000 + 20 * i, kAck, 10));
  ASSERT_EQ(driver.drain().size(), 1u);
  const Partial& whole = driver.ended()[0];
  EXPECT_EQ(whole.packets, 7u);
  EXPECT_EQ(whole.data_segments, 7u);
  EXPECT_EQ(whole.payload_bytes, 70u);
  EXPECT_EQ(whole.tcp_flags, kAck);
  EXPECT_EQ(whole.arrival, 1u);
  EXPECT_EQ(whole.missing_bytes, 60u);  // six holes of 10
  EXPECT_EQ(whole.removal, Removal::none);
}

TEST(Shard, CountersBeyondTheWidthOfTheState) {
  ShardDriver driver(meter_options());
  constexpr std::uint32_t kPackets = 200'000, kBytes = 40'000;
  for (std::uint32_t i = 0; i < kPackets; ++i) {
    Segment s = test_segment(0).tcp(kBytes * (i / 2), kAck, kBytes);  // each sent twice
    s.window = 0;
    driver.packet(1, s);
  }
  ASSERT_EQ(driver.drain().size(), 1u);
  const Partial& whole = driver.ended()[0];
  EXPECT_EQ(whole.packets, kPackets);
  EXPECT_EQ(whole.data_segments, kPackets);
  EXPECT_EQ(whole.retransmitted_segments, kPackets / 2);
  EXPECT_EQ(whole.zero_window_count, kPackets);
  EXPECT_EQ(whole.payload_bytes, std::uint64_t{kPackets} * kBytes);
  EXPECT_EQ(whole.retransmitted_bytes, std::uint64_t{kPackets} / 2 * kBytes);
  EXPECT_GT(whole.bytes, whole.payload_bytes);
}

// A capture may say anything of the length of a packet that leaves it open in its IP header.
TEST(Shard, PacketsOfFourGibibytes) {
  ShardDriver driver(meter_options());
  for (std::uint32_t i = 0; i < 5; ++i) {
    Segment s = test_segment(0).tcp(0, kAck, 1);
    s.length = UINT32_MAX;
    driver.packet(1, s);
  }
  ASSERT_EQ(driver.drain().size(), 1u);
  EXPECT_EQ(driver.ended()[0].bytes, 5 * std::uint64_t{UINT32_MAX});
}

TEST(Shard, DrainTellsIdleFromForced) {
  ShardDriver driver(meter_options());
  driver.packet(1, test_segment(0));
  driver.packet(2, test_segment(1));
  driver.packet(3, test_segment(0).tcp(1, kFin));
  driver.packet(4, test_segment(1).tcp(1, kRst));
  const auto& records = driver.drain(1001);
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].end_reason, EndReason::idle);
  EXPECT_EQ(records[1].end_reason, EndReason::forced);  // exactly the idle timeout
  EXPECT_EQ(records[2].end_reason, EndReason::end_of_flow);
  EXPECT_EQ(records[3].end_reason, EndReason::end_of_flow);
}

TEST(Shard, DrainGivesAFewAtATime) {
  ShardDriver driver(meter_options());
  for (std::uint32_t i = 0; i < 5; ++i) driver.packet(i, test_segment(0));
  EXPECT_TRUE(driver.shard().drain(0, 2));
  EXPECT_EQ(driver.ended().size(), 2u);
  EXPECT_TRUE(driver.shard().drain(0, 2));
  EXPECT_FALSE(driver.shard().drain(0, 2));
  EXPECT_EQ(driver.ended().size(), 5u);
}

// Flows with holes, spilled counters, FIN, an idle one: what lies in the shard is what drain() would give.
TEST(Shard, FlowsThatStayAreThoseOfTheDrain) {
  const FullCounter full_counter(3);
  ShardDriver driver(meter_options());
  for (std::uint32_t i = 0; i < 7; ++i) driver.packet(1, test_segment(5000 + i).tcp(1000 + 20 * i, kAck, 10));
  driver.packet(2, test_segment(5000).tcp(1, kFin | kAck));
  driver.packet(3, test_segment(1));
  constexpr std::int64_t kEnd = 5500;
  const Shard& shard = driver.shard();
  std::vector<Partial> stay;
  for (int again = 0; again < 2; ++again) {  // reading changes nothing
    stay.clear();
    for (std::size_t number = 0; number < shard.numbers(); ++number) {
      if (!shard.lives(number)) continue;
      stay.push_back(shard.last_partial_of(number, kEnd));
      EXPECT_TRUE(stay.back().key == shard.key_of(number));
    }
  }
  ASSERT_EQ(stay.size(), shard.live());
  ASSERT_EQ(stay.size(), 3u);
  EXPECT_EQ(stay[0].packets, 7u);
  EXPECT_EQ(stay[0].missing_bytes, 60u);
  EXPECT_EQ(stay[2].removal, Removal::expired);
  const std::vector<Partial>& drained = driver.drain(kEnd);
  ASSERT_EQ(drained.size(), stay.size());
  for (std::size_t i = 0; i < stay.size(); ++i) {
    EXPECT_EQ(std::memcmp(&stay[i], &drained[i], sizeof(Partial)), 0) << i;
  }
}

TEST(Shard, FlowsStayWhenMeteringStops) {
  ShardDriver driver(meter_options());
  for (std::uint32_t i = 0; i < 3000; ++i) driver.packet(i, test_segment(0));
  driver.shard().stop_metering();
  std::size_t live = 0;
  for (std::size_t number = 0; number < driver.shard().numbers(); ++number) {
    if (driver.shard().lives(number)) live += driver.shard().last_partial_of(number, 0).packets;
  }
  EXPECT_EQ(live, 3000u);
}

TEST(Shard, WithoutPacketsThereIsNothing) {
  ShardDriver driver(meter_options());
  EXPECT_EQ(driver.shard().latest_ns(), INT64_MIN);
  EXPECT_TRUE(driver.drain(0).empty());
}

}  // namespace
}  // namespace warpmeter
