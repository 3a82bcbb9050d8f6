// What devices leave to the CPU: segments named by their place in a piece, flows that go on here, and their end.
#include "pipeline/metering/shards_beside_device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/flow_key_maker.h"
#include "support/segment_maker.h"
#include "support/tcp_flow.h"

namespace warpmeter::test {
namespace {

constexpr std::uint64_t kHashSeed = 7;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kNoPacket = std::numeric_limits<std::int64_t>::min();

FlowHash hash_of(std::uint32_t flow) { return hash_flow(numbered_key(flow), kHashSeed); }

class ShardsTest : public testing::Test {
 protected:
  static MeterOptions options() {
    MeterOptions options;
    options.flow_memory = 64 << 20;
    return options;
  }

  // The next segment of the batch.
  void add(std::uint32_t flow, Segment segment) {
    segment.frame = batch_.count;
    batch_.push({hashed_key(numbered_key(flow)), segment});
  }
  void add(std::uint32_t flow, std::int64_t time_ns) { add(flow, test_segment(time_ns)); }

  void meter(std::uint32_t begin, std::vector<std::uint32_t> overflow, std::vector<std::uint8_t> duplicate = {}) {
    result_.duplicate = std::move(duplicate);
    result_.duplicate.resize(overflow.size());
    result_.overflow = std::move(overflow);
    shards_.meter(batch_.span(begin, batch_.count), result_, finished_);
    result_ = {};
  }
  void meter_all() {
    std::vector<std::uint32_t> all(batch_.count);
    std::iota(all.begin(), all.end(), 0);
    meter(0, all);
  }
  void next_batch(std::uint64_t first_number) { batch_.reset(first_number); }

  std::vector<Partial> drain(std::int64_t trace_end_ns = 0) {
    while (shards_.drain(trace_end_ns, 3, finished_)) {
    }
    std::sort(finished_.begin(), finished_.end(), [](const auto& a, const auto& b) { return a.arrival < b.arrival; });
    return finished_;
  }

  PackedBatch batch_{1024, *std::pmr::new_delete_resource()};
  DeviceMeter::Result result_;
  ShardsBesideDevice shards_{options(), kHashSeed};
  std::vector<Partial> finished_;
};

TEST_F(ShardsTest, WithoutFlowsThereIsNothing) {
  EXPECT_EQ(shards_.latest_ns(), kNoPacket);
  EXPECT_TRUE(shards_.list_live(0, kShards, kSecond).empty());
  EXPECT_FALSE(shards_.drain(0, 10, finished_));
  EXPECT_TRUE(finished_.empty());
  EXPECT_EQ(shards_.counters().on_cpu, 0u);
}

TEST_F(ShardsTest, MetersWhatIsNamedAndNothingElse) {
  next_batch(100);
  for (const std::uint32_t flow : {1, 2, 1, 3, 1, 2}) add(flow, flow * 10);
  meter(0, {0, 2});
  meter(3, {0, 1});  // counted from the begin of the piece: flow 3, and flow 1 again
  EXPECT_EQ(shards_.latest_ns(), 30);
  EXPECT_EQ(shards_.counters().on_cpu, 4u);
  const std::vector<Partial> flows = drain();
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(compare(flows[0].key, numbered_key(1)), 0);
  EXPECT_EQ(flows[0].arrival, 100u);
  EXPECT_EQ(flows[0].packets, 3u);
  EXPECT_EQ(compare(flows[1].key, numbered_key(3)), 0);
  EXPECT_EQ(flows[1].arrival, 103u);
  EXPECT_EQ(flows[1].packets, 1u);
}

// Whatever the segments themselves look like, and however they are spread over the shards.
TEST_F(ShardsTest, DuplicatesAreThoseThatTheDeviceFound) {
  std::vector<std::uint32_t> overflow;
  std::vector<std::uint8_t> duplicate;
  for (std::uint32_t i = 0; i < 900; ++i) {
    add(i % 100, test_segment(i).identified(5));
    if (i % 3 == 0) continue;
    overflow.push_back(i);
    duplicate.push_back(i % 100 < 10);
  }
  meter(0, overflow, duplicate);
  const auto expected = static_cast<std::uint64_t>(std::accumulate(duplicate.begin(), duplicate.end(), 0));
  EXPECT_EQ(shards_.counters().duplicate_packets, expected);
  std::uint64_t found = 0;
  for (const Partial& flow : drain()) {
    const bool duplicates_only = flow.key.source[3] < 10;
    EXPECT_EQ(flow.duplicate_packets, duplicates_only ? flow.packets : 0);
    found += flow.duplicate_packets;
  }
  EXPECT_EQ(found, expected);
}

TEST_F(ShardsTest, FlowsThatEndWithinABatchAreFinishedWithIt) {
  add(1, 0);
  add(1, 400 * kSecond);
  finished_.resize(1);  // what the device ended stays
  meter_all();
  ASSERT_EQ(finished_.size(), 2u);
  EXPECT_EQ(finished_[1].end_reason, EndReason::idle);
  EXPECT_EQ(finished_[1].packets, 1u);
}

// A flow that the device had until now; 100 and 105 to 110 are seen.
HandedOverFlow flow_with_a_hole(std::uint32_t flow) {
  TcpFlow tcp;
  tcp.at(kSecond).data(100, 1).data(105, 5);
  tcp.state.key = numbered_key(flow);
  tcp.state.bits |= kInUse;
  tcp.state.arrival = 11;
  tcp.state.packets = 2;
  tcp.state.end_ns = kSecond;
  return {tcp.state, {{101, 105}}, std::nullopt};
}

TEST_F(ShardsTest, HandedOverFlowGoesOnWithItsHoles) {
  next_batch(50);
  add(9, 0);
  add(1, test_segment(2 * kSecond).tcp(102, 0, 2));  // fills a part of the hole
  add(1, test_segment(3 * kSecond).tcp(107, 0, 5));  // three bytes again
  result_.handed_over.push_back(flow_with_a_hole(1));
  meter(1, {0, 1});
  EXPECT_TRUE(finished_.empty());
  const std::vector<Partial> flows = drain();
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_EQ(flows[0].arrival, 11u);
  EXPECT_EQ(flows[0].packets, 4u);
  EXPECT_EQ(flows[0].data_segments, 4u);
  EXPECT_EQ(flows[0].out_of_order_segments, 1u);
  EXPECT_EQ(flows[0].retransmitted_segments, 1u);
  EXPECT_EQ(flows[0].retransmitted_bytes, 3u);
  EXPECT_EQ(flows[0].missing_bytes, 2u);  // 101 and 104
  EXPECT_EQ(flows[0].end_ns, 3 * kSecond);
  EXPECT_EQ(shards_.counters().on_cpu, 2u);  // not those that the device metered
}

TEST_F(ShardsTest, HandedOverFlowBringsItsDuplicatesAndItsSpilledCounters) {
  HandedOverFlow flow = flow_with_a_hole(1);
  flow.state.end_ns = 9 * kSecond;
  flow.state.duplicate_packets = 1;
  flow.state.bits |= kCountersSpilled;
  flow.spilled_counters.emplace();
  flow.spilled_counters->packets = 1000;
  flow.spilled_counters->duplicate_packets = 10;
  flow.spilled_counters->end_ns = kSecond;
  result_.handed_over.push_back(flow);
  add(1, test_segment(5 * kSecond).tcp(110, 0, 1));
  meter(0, {0}, {1});
  EXPECT_EQ(shards_.latest_ns(), 5 * kSecond);  // the time of its shard is that of the packets it has had
  EXPECT_EQ(shards_.counters().duplicate_packets, 12u);
  const std::vector<Partial> flows = drain();
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_EQ(flows[0].packets, 1003u);
  EXPECT_EQ(flows[0].duplicate_packets, 12u);
}

TEST_F(ShardsTest, HandedOverFlowEndsAnIdleOneOfItsKey) {
  add(1, -1000 * kSecond);
  meter_all();
  next_batch(50);
  add(1, test_segment(2 * kSecond).tcp(110, 0, 1));
  result_.handed_over.push_back(flow_with_a_hole(1));
  meter(0, {0});
  ASSERT_EQ(finished_.size(), 1u);
  EXPECT_EQ(finished_[0].end_reason, EndReason::idle);
  EXPECT_EQ(finished_[0].packets, 1u);
  EXPECT_EQ(drain().back().packets, 3u);
}

TEST_F(ShardsTest, ManyFlowsAreHandedOverAtOnce) {
  for (std::uint32_t flow = 0; flow < 500; ++flow) {
    result_.handed_over.push_back(flow_with_a_hole(flow));
    add(flow, test_segment(2 * kSecond).tcp(110, 0, 1));
  }
  meter_all();
  const std::vector<Partial> flows = drain();
  ASSERT_EQ(flows.size(), 500u);
  for (const Partial& flow : flows) EXPECT_EQ(flow.packets, 3u);
}

TEST_F(ShardsTest, EveryShareListsItsFlows) {
  for (std::uint32_t flow = 0; flow < 300; ++flow) add(flow, 1000 + flow);
  meter_all();
  for (const unsigned shares : {1u, 2u, 3u, 7u, 64u}) {
    std::vector<int> seen(300);
    for (unsigned share = 0; share < shares; ++share) {
      const auto live = shards_.list_live(first_shard_of(share, shares), first_shard_of(share + 1, shares), 2000);
      for (const FlowOnCpu& flow : live) {
        const auto number = static_cast<std::uint32_t>(flow.key.source[2] << 8 | flow.key.source[3]);
        EXPECT_EQ(share_of(hash_of(number).shard, shares), share);
        EXPECT_EQ(flow.end_ns, 1000 + number);
        ++seen.at(number);
      }
    }
    EXPECT_EQ(seen, std::vector<int>(300, 1)) << shares << " shares";
  }
}

TEST_F(ShardsTest, IdleFlowsAreLetGoAndNotListed) {
  add(1, 0);
  add(2, 200 * kSecond);
  meter_all();
  const auto live = shards_.list_live(0, kShards, 400 * kSecond);
  ASSERT_EQ(live.size(), 1u);
  EXPECT_EQ(compare(live[0].key, numbered_key(2)), 0);
  EXPECT_EQ(shards_.counters().expired, 1u);
  const std::vector<Partial> flows = drain(400 * kSecond);
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].removal, Removal::expired);
  EXPECT_EQ(flows[0].end_reason, EndReason::idle);
}

// They come out with the next batch, whoever's segments it has.
TEST_F(ShardsTest, FlowsThatWereLetGoAreFinishedWithTheNextBatch) {
  add(1, 0);
  meter_all();
  EXPECT_TRUE(shards_.list_live(0, kShards, 400 * kSecond).empty());
  next_batch(50);
  add(2, 400 * kSecond);
  meter_all();
  ASSERT_EQ(finished_.size(), 1u);
  EXPECT_EQ(compare(finished_[0].key, numbered_key(1)), 0);
}

TEST_F(ShardsTest, DrainEndsNoMoreThanIsWantedAtATime) {
  for (std::uint32_t flow = 0; flow < 500; ++flow) add(flow, 1000);
  meter_all();
  std::size_t in_all = 0;
  for (bool more = true; more;) {
    std::vector<Partial> ended;
    more = shards_.drain(2000, 3, ended);
    EXPECT_LE(ended.size(), 3u);
    for (const Partial& flow : ended) EXPECT_EQ(flow.end_reason, EndReason::forced);
    in_all += ended.size();
  }
  EXPECT_EQ(in_all, 500u);
}

TEST_F(ShardsTest, DrainTellsIdleFlowsByTheEndOfTheTrace) {
  add(1, 0);
  add(2, 300 * kSecond);
  meter_all();
  const std::vector<Partial> flows = drain(500 * kSecond);
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].end_reason, EndReason::idle);
  EXPECT_EQ(flows[1].end_reason, EndReason::forced);
}

}  // namespace
}  // namespace warpmeter::test
