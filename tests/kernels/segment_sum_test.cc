// A sum of segments that fits a flow state changes it as the segments would one after the other, in whatever groups it
// was put together; and a sum that might not is told apart.
#include "segment_sum.cuh"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <tuple>

#include "kernels/device_flows.h"
#include "kernels/fiber_tile.h"
#include "kernels/flow_traffic.h"
#include "kernels/tile_sizes.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

using Packets = std::vector<MarkedPacket>;

SegmentSum sum_of_packet(const MarkedPacket& m) { return sum_of_segment(m.packet.segment, m.mark); }

// Put together by parts that are drawn.
SegmentSum sum_in_groups(const MarkedPacket* packets, std::size_t count, std::mt19937_64& random) {
  if (count == 1) return sum_of_packet(*packets);
  const std::size_t left = 1 + random() % (count - 1);
  const SegmentSum first = sum_in_groups(packets, left, random);
  return combine(first, sum_in_groups(packets + left, count - left, random));
}

struct Tally {
  int fitted = 0, all = 0;
};

// One flow: packets in order, and every now and then a sum, which is added to a copy of the state as it was before.
void check_sums(std::uint64_t unrest, const FlowOptions& options, std::uint64_t seed, Tally& tally) {
  FlowTraffic traffic(1, unrest, seed);  // its only flow is that without a number; here it has one
  std::mt19937_64 random(seed);
  MeteredFlows flows(1);
  for (int round = 0; round < 60; ++round) {
    const Packets packets = traffic.packets(1 + random() % 40);
    const SegmentSum sum = sum_in_groups(packets.data(), packets.size(), random);
    FlowState before = flows.state[0];
    const std::size_t records_before = flows.records.size();
    meter_batch_plainly(packets, options, flows);
    ++tally.all;
    if (!fits(before, sum, options.timeouts, options.full_counter)) continue;
    ++tally.fitted;
    add_sum(before, sum);
    ASSERT_EQ(std::memcmp(&before, &flows.state[0], sizeof before), 0) << "round " << round << ", seed " << seed;
    ASSERT_EQ(flows.records.size(), records_before);
  }
}

TEST(SegmentSum, ThatFitsIsAllThatItsSegmentsDo) {
  for (const std::uint32_t full : {1u, 5u, 40u, 100u, UINT32_MAX}) {
    for (const Timeouts& timeouts : {Timeouts{1000, 4000}, Timeouts{0, 0}, Timeouts{30, 100}}) {
      Tally calm, wild;
      for (std::uint64_t seed = 0; seed < 25; ++seed) {
        check_sums(200, {timeouts, full}, seed, calm);
        check_sums(10, {timeouts, full}, seed, wild);
      }
      EXPECT_GT(wild.fitted, full > 1 ? 10 : -1);
      EXPECT_LT(wild.fitted, wild.all / 2);
      if (full == UINT32_MAX && timeouts.active_ns != 100) {
        EXPECT_GT(calm.fitted, calm.all * 6 / 10);
      }
    }
  }
}

TEST(SegmentSum, OfSynFinAndResetIsNeverPlainUnlessTheyAreDuplicates) {
  for (const std::uint8_t flag : {kSyn, kFin, kRst}) {
    const Segment segment = test_segment(0).tcp(1000, flag, 5);
    EXPECT_FALSE(sum_of_segment(segment, 0).plain);
    EXPECT_TRUE(sum_of_segment(segment, kDuplicate).plain);
    EXPECT_FALSE(combine(sum_of_segment(segment, 0), sum_of_segment(segment, kDuplicate)).plain);
    EXPECT_FALSE(combine(sum_of_segment(segment, kDuplicate), sum_of_segment(segment, 0)).plain);
  }
}

// A flow of one data segment [1000, 1100) at 5000 ns.
FlowState small_flow() {
  FlowState f{};
  start_flow(f, {5000, 1000, false}, 1);
  const Segment first = test_segment(5000).tcp(1000, 16, 100);
  count_packet(f, first);
  count_five_tuple_segment(f, first, false);
  return f;
}

bool fits_small_flow(const Segment& s, const FlowOptions& options = {}) {
  return fits(small_flow(), sum_of_segment(s, 0), options.timeouts, options.full_counter);
}

TEST(SegmentSum, FitsUpToTheTimeouts) {
  const auto at = [](std::int64_t time_ns) { return test_segment(time_ns).tcp(1100, 16, 100); };
  EXPECT_TRUE(fits_small_flow(at(6000), {{1000, 0}}));
  EXPECT_FALSE(fits_small_flow(at(6001), {{1000, 0}}));
  EXPECT_TRUE(fits_small_flow(at(8999), {{0, 4000}}));
  EXPECT_FALSE(fits_small_flow(at(9000), {{0, 4000}}));
  EXPECT_TRUE(fits_small_flow(at(1'000'000), {{0, 0}}));
  EXPECT_TRUE(fits_small_flow(at(5000)));
  EXPECT_FALSE(fits_small_flow(at(4999)));  // an earlier start
}

TEST(SegmentSum, FitsUpToTheFullCounter) {
  const Segment s = test_segment(5000).tcp(1100, 16, 100);
  EXPECT_FALSE(fits_small_flow(s, {{}, 1}));
  EXPECT_TRUE(fits_small_flow(s, {{}, 2}));
  FlowState f = small_flow();
  f.packets = UINT32_MAX;
  EXPECT_FALSE(fits(f, sum_of_segment(s, 0), {}, UINT32_MAX));
}

TEST(SegmentSum, FitsOnlyFlowsThatAreMet) {
  FlowState f = small_flow();
  f.bits = 0;
  EXPECT_FALSE(fits(f, sum_of_segment(test_segment(5000), 0), {}, UINT32_MAX));
  f.bits = kInUse;  // and no TCP segment so far
  EXPECT_TRUE(fits(f, sum_of_segment(test_segment(5000), 0), {}, UINT32_MAX));
  EXPECT_FALSE(fits(f, sum_of_segment(test_segment(5000).tcp(1100, 16, 100), 0), {}, UINT32_MAX));
}

TEST(SegmentSum, FitsSequenceNumbersThatAreNear) {
  constexpr std::uint32_t kNear = SegmentSum::kNear;
  const auto from_highest = [](std::uint32_t apart) { return test_segment(5000).tcp(1100 + apart, 16, 1); };
  EXPECT_TRUE(fits_small_flow(from_highest(kNear - 1)));
  EXPECT_FALSE(fits_small_flow(from_highest(kNear)));
  EXPECT_TRUE(fits_small_flow(from_highest(1 - kNear)));
  EXPECT_FALSE(fits_small_flow(from_highest(0 - kNear)));
  EXPECT_FALSE(fits_small_flow(from_highest(1u << 31)));
  EXPECT_FALSE(fits_small_flow(test_segment(5000).tcp(1100, 16, kNear)));  // no packet is so long
}

TEST(SegmentSum, OfSegmentsFarApartIsNotPlain) {
  const auto sum = [](std::uint32_t sequence) { return sum_of_segment(test_segment(0).tcp(sequence, 16, 1), 0); };
  constexpr std::uint32_t kFar = 200'000'000;  // nearly 2^28
  EXPECT_TRUE(combine(sum(0), sum(kFar)).plain);
  EXPECT_TRUE(combine(sum(kFar), sum(0)).plain);
  EXPECT_FALSE(combine(combine(sum(0), sum(kFar)), sum(2 * kFar)).plain);
  EXPECT_FALSE(combine(sum(0), combine(sum(kFar), sum(2 * kFar))).plain);
  EXPECT_FALSE(combine(combine(sum(0), sum(0 - kFar)), combine(sum(0 - 2 * kFar), sum(0))).plain);
  EXPECT_FALSE(combine(sum(0), sum(1u << 31)).plain);
}

auto fields_of(const SegmentSum& s) {
  return std::tuple(s.first_ns, s.last_ns, s.bytes, s.payload_bytes, s.retransmitted_bytes, s.duplicate_bytes,
                    s.packets, s.data_segments, s.retransmitted_segments, s.duplicate_packets, s.zero_window_count,
                    s.tcp_flags, s.plain, s.plain && s.tcp, s.plain ? s.base + static_cast<std::uint32_t>(s.lowest) : 0,
                    s.plain ? s.base + static_cast<std::uint32_t>(s.highest) : 0);
}

class SumOfLanes : public testing::TestWithParam<unsigned> {};

TEST_P(SumOfLanes, IsThatOfAPlainLoopInEveryLane) {
  with_tile_size(GetParam(), [](auto size) {
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const Packets packets = FlowTraffic(1, 300, seed).packets(size);
      SegmentSum expected;
      for (const MarkedPacket& m : packets) expected = combine(expected, sum_of_packet(m));
      unsigned lanes = 0;
      const auto body = [&](auto& tile) {
        ++lanes;
        ASSERT_EQ(fields_of(sum_of_lanes(tile, sum_of_packet(packets[tile.rank()]))), fields_of(expected));
      };
      if constexpr (size == 1) {
        Tile1 tile;
        body(tile);
      } else {
        run_in_fibers<size>([&](auto& tile, std::uint32_t) { body(tile); }, 1, 1, seed);
      }
      ASSERT_EQ(lanes, size);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, SumOfLanes, testing::ValuesIn(tile_sizes()));

}  // namespace
}  // namespace warpmeter::test
