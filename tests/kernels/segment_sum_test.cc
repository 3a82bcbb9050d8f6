// A sum of segments that fits a flow state changes it as the segments would one after the other, in whatever groups it
// was put together, under both methods; and a sum that might not is told apart.
#include "core/segment_sum.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <tuple>

#include "kernels/device_flows.h"
#include "kernels/fiber_tile.h"
#include "kernels/flow_traffic.h"
#include "kernels/tile_sizes.h"
#include "meter_flows.cuh"
#include "support/count_segment.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

using Packets = std::vector<MarkedPacket>;

template <class Numbers>
SegmentSum<Numbers> sum_of_packet(const MarkedPacket& m) {
  return sum_of_segment<Numbers>(m.packet.segment, m.mark);
}

// Put together by parts that are drawn.
template <class Numbers>
SegmentSum<Numbers> sum_in_groups(const MarkedPacket* packets, std::size_t count, std::mt19937_64& random) {
  if (count == 1) return sum_of_packet<Numbers>(*packets);
  const std::size_t left = 1 + random() % (count - 1);
  const SegmentSum<Numbers> first = sum_in_groups<Numbers>(packets, left, random);
  return combine(first, sum_in_groups<Numbers>(packets + left, count - left, random));
}

struct Tally {
  int fitted = 0, all = 0;
};

// One flow: packets in order, and every now and then a sum, which is added to a copy of the state as it was before.
template <class Numbers>
void check_sums(std::uint64_t unrest, std::uint64_t disorder, const FlowOptions& options, std::uint64_t seed,
                Tally& tally) {
  FlowTraffic traffic(1, unrest, seed, disorder);  // its only flow is that without a number; here it has one
  std::mt19937_64 random(seed);
  MeteredFlows flows(1);
  for (int round = 0; round < 60; ++round) {
    const Packets packets = traffic.packets(1 + random() % 40);
    const auto sum = sum_in_groups<Numbers>(packets.data(), packets.size(), random);
    FlowState before = flows.state[0];
    const std::vector<Hole> holes_before = flows.holes[0];
    const std::size_t records_before = flows.records.size();
    meter_batch_plainly(packets, options, flows);
    ++tally.all;
    if (!fits(before, sum, options.timeouts, options.full_counter)) continue;
    ++tally.fitted;
    add_sum(before, sum);
    ASSERT_EQ(std::memcmp(&before, &flows.state[0], sizeof before), 0) << "round " << round << ", seed " << seed;
    ASSERT_TRUE(same_holes(holes_before, flows.holes[0]));
    ASSERT_EQ(flows.records.size(), records_before);
  }
}

TEST(SegmentSum, ThatFitsIsAllThatItsSegmentsDo) {
  for (const std::uint32_t full : {1u, 5u, 40u, 100u, UINT32_MAX}) {
    for (const Timeouts& timeouts : {Timeouts{1000, 4000}, Timeouts{0, 0}, Timeouts{30, 100}}) {
      Tally calm, wild;
      for (std::uint64_t seed = 0; seed < 25; ++seed) {
        check_sums<NearNumbers>(200, 5, {timeouts, full}, seed, calm);
        check_sums<NearNumbers>(10, 5, {timeouts, full}, seed, wild);
      }
      EXPECT_GT(wild.fitted, full > 1 ? 10 : -1);
      EXPECT_LT(wild.fitted, wild.all / 2);
      if (full == UINT32_MAX && timeouts.active_ns != 100) {
        EXPECT_GT(calm.fitted, calm.all * 6 / 10);
      }
    }
  }
}

// In calm traffic, where nothing is missing; in some in which much is; and in wild traffic.
TEST(SegmentSum, ThatFitsExactlyIsAllThatItsSegmentsDo) {
  for (const std::uint32_t full : {1u, 5u, 40u, 100u, UINT32_MAX}) {
    for (const Timeouts& timeouts : {Timeouts{1000, 4000}, Timeouts{0, 0}, Timeouts{30, 100}}) {
      const FlowOptions options{timeouts, full, Method::exact};
      Tally calm, disorderly, wild;
      for (std::uint64_t seed = 0; seed < 25; ++seed) {
        check_sums<InOrderNumbers>(200, 1000, options, seed, calm);
        check_sums<InOrderNumbers>(200, 20, options, seed, disorderly);
        check_sums<InOrderNumbers>(10, 20, options, seed, wild);
      }
      EXPECT_GT(wild.fitted, full > 1 ? 10 : -1);
      EXPECT_LT(wild.fitted, wild.all / 2);
      if (full == UINT32_MAX && timeouts.active_ns != 100) {
        EXPECT_GT(calm.fitted, calm.all * 6 / 10);
        EXPECT_GT(disorderly.fitted, disorderly.all * 2 / 10);
        EXPECT_LT(disorderly.fitted, disorderly.all * 7 / 10);
      }
    }
  }
}

template <class Numbers>
class SegmentSumOf : public testing::Test {};
using BothNumbers = testing::Types<NearNumbers, InOrderNumbers>;
TYPED_TEST_SUITE(SegmentSumOf, BothNumbers);

TYPED_TEST(SegmentSumOf, SynFinAndResetIsNeverPlainUnlessTheyAreDuplicates) {
  for (const std::uint8_t flag : {kSyn, kFin, kRst}) {
    const Segment segment = test_segment(0).tcp(1000, flag, 5);
    const auto once = sum_of_segment<TypeParam>(segment, 0), again = sum_of_segment<TypeParam>(segment, kDuplicate);
    EXPECT_FALSE(once.plain);
    EXPECT_TRUE(again.plain);
    EXPECT_FALSE(combine(once, again).plain);
    EXPECT_FALSE(combine(again, once).plain);
  }
}

TEST(SegmentSum, OfAMarkedSegmentCountsTheRetransmitted) {
  const Segment segment = test_segment(0).tcp(77, 16, 5);
  EXPECT_EQ(sum_of_segment<NearNumbers>(segment, kRepeated).numbers.retransmitted_segments, 0u);
  EXPECT_EQ(sum_of_segment<NearNumbers>(segment, kRetransmitted).numbers.retransmitted_segments, 1u);
  EXPECT_EQ(sum_of_segment<NearNumbers>(segment, kRetransmitted).duplicate_packets, 0u);
}

// A flow of one data segment [1000, 1100) at 5000 ns.
FlowState small_flow() {
  FlowState f{};
  start_flow(f, {5000, 1000, false}, 1);
  const Segment first = test_segment(5000).tcp(1000, 16, 100);
  count_packet(f, first);
  StrayState none{};
  count_five_tuple_segment(f, first, false, none);
  return f;
}

template <class Numbers = NearNumbers>
bool fits_small_flow(const Segment& s, const FlowOptions& options = {}) {
  return fits(small_flow(), sum_of_segment<Numbers>(s, 0), options.timeouts, options.full_counter);
}

TYPED_TEST(SegmentSumOf, ASegmentFitsUpToTheTimeouts) {
  const auto at = [](std::int64_t time_ns) { return test_segment(time_ns).tcp(1100, 16, 100); };
  const auto fits_small_flow = [](const Segment& s, const FlowOptions& options = {}) {
    return test::fits_small_flow<TypeParam>(s, options);
  };
  EXPECT_TRUE(fits_small_flow(at(6000), {{1000, 0}}));
  EXPECT_FALSE(fits_small_flow(at(6001), {{1000, 0}}));
  EXPECT_TRUE(fits_small_flow(at(8999), {{0, 4000}}));
  EXPECT_FALSE(fits_small_flow(at(9000), {{0, 4000}}));
  EXPECT_TRUE(fits_small_flow(at(1'000'000), {{0, 0}}));
  EXPECT_TRUE(fits_small_flow(at(5000)));
  EXPECT_FALSE(fits_small_flow(at(4999)));  // an earlier start
}

TYPED_TEST(SegmentSumOf, ASegmentFitsUpToTheFullCounter) {
  const Segment s = test_segment(5000).tcp(1100, 16, 100);
  EXPECT_FALSE(fits_small_flow<TypeParam>(s, {{}, 1}));
  EXPECT_TRUE(fits_small_flow<TypeParam>(s, {{}, 2}));
  FlowState f = small_flow();
  f.packets = UINT32_MAX;
  EXPECT_FALSE(fits(f, sum_of_segment<TypeParam>(s, 0), {}, UINT32_MAX));
}

TYPED_TEST(SegmentSumOf, ASegmentFitsOnlyFlowsThatAreMet) {
  const auto sum = sum_of_segment<TypeParam>(test_segment(5000), 0);
  FlowState f = small_flow();
  f.bits = 0;
  EXPECT_FALSE(fits(f, sum, {}, UINT32_MAX));
  f.bits = kInUse;  // and no TCP segment so far
  EXPECT_TRUE(fits(f, sum, {}, UINT32_MAX));
  EXPECT_FALSE(fits(f, sum_of_segment<TypeParam>(test_segment(5000).tcp(1100, 16, 100), 0), {}, UINT32_MAX));
}

TEST(SegmentSum, FitsSequenceNumbersThatAreNear) {
  constexpr std::uint32_t kNear = kNearNumbers, kAhead = kFarAhead;
  const auto from_highest = [](std::uint32_t apart) { return test_segment(5000).tcp(1100 + apart, 16, 1); };
  EXPECT_TRUE(fits_small_flow(from_highest(kAhead - 1)));
  EXPECT_FALSE(fits_small_flow(from_highest(kAhead)));  // what follows might be a stray
  EXPECT_TRUE(fits_small_flow(from_highest(1 - kNear)));
  EXPECT_FALSE(fits_small_flow(from_highest(0 - kNear)));
  EXPECT_FALSE(fits_small_flow(from_highest(1u << 31)));
  EXPECT_FALSE(fits_small_flow(test_segment(5000).tcp(1100, 16, kNear)));  // no packet is so long
}

TEST(SegmentSum, OfSegmentsFarApartIsNotPlain) {
  const auto sum = [](std::uint32_t sequence) {
    return sum_of_segment<NearNumbers>(test_segment(0).tcp(sequence, 16, 1), 0);
  };
  constexpr std::uint32_t kFar = 200'000'000;  // nearly 2^28
  EXPECT_TRUE(combine(sum(0), sum(kFar)).plain);
  EXPECT_TRUE(combine(sum(kFar), sum(0)).plain);
  EXPECT_FALSE(combine(combine(sum(0), sum(kFar)), sum(2 * kFar)).plain);
  EXPECT_FALSE(combine(sum(0), combine(sum(kFar), sum(2 * kFar))).plain);
  EXPECT_FALSE(combine(combine(sum(0), sum(0 - kFar)), combine(sum(0 - 2 * kFar), sum(0))).plain);
  EXPECT_FALSE(combine(sum(0), sum(1u << 31)).plain);
}

TEST(SegmentSum, FitsExactlyWhereTheFlowEnds) {
  const auto fits_at = [](std::uint32_t sequence, std::uint32_t payload = 1) {
    return fits_small_flow<InOrderNumbers>(test_segment(5000).tcp(sequence, 16, payload));
  };
  EXPECT_TRUE(fits_at(1100));
  EXPECT_TRUE(fits_at(1100, 0));
  EXPECT_TRUE(fits_at(1100, kNearNumbers - 1));
  EXPECT_FALSE(fits_at(1100, kNearNumbers));  // no packet is so long
  EXPECT_FALSE(fits_at(1099));
  EXPECT_FALSE(fits_at(1101));
  EXPECT_FALSE(fits_at(1101, 0));
  EXPECT_FALSE(fits_at(1099, 0));  // a keep-alive
  EXPECT_FALSE(fits_at(1100 + (1u << 31)));
}

TEST(SegmentSum, FitsExactlyWhereNumbersWrap) {
  FlowState f = small_flow();
  f.highest = (std::int64_t{3} << 32) - 5;
  f.holes = 1;
  const auto fits_at = [&f](std::uint32_t sequence) {
    return fits(f, sum_of_segment<InOrderNumbers>(test_segment(5000).tcp(sequence, 16, 10), 0), {}, UINT32_MAX);
  };
  EXPECT_TRUE(fits_at(0u - 5));
  EXPECT_FALSE(fits_at(5));
  const auto sum = combine(sum_of_segment<InOrderNumbers>(test_segment(5000).tcp(0u - 5, 16, 10), 0),
                           sum_of_segment<InOrderNumbers>(test_segment(5000).tcp(5, 16, 10), 0));
  ASSERT_TRUE(fits(f, sum, {}, UINT32_MAX));
  add_sum(f, sum);
  EXPECT_EQ(f.highest, (std::int64_t{3} << 32) + 15);
  EXPECT_EQ(f.lowest, small_flow().lowest);
  EXPECT_EQ(f.holes, 1u);
}

TEST(SegmentSum, OfSegmentsInOrderIsPlainAndInNoOther) {
  const auto sum = [](std::uint32_t sequence, std::uint8_t mark = 0) {
    return sum_of_segment<InOrderNumbers>(test_segment(0).tcp(sequence, 16, 10), mark);
  };
  EXPECT_TRUE(combine(sum(0), sum(10)).plain);
  EXPECT_FALSE(combine(sum(10), sum(0)).plain);
  EXPECT_FALSE(combine(sum(0), sum(0)).plain);
  EXPECT_FALSE(combine(sum(0), sum(20)).plain);
  EXPECT_TRUE(combine(combine(sum(0), sum(10)), combine(sum(20), sum(30))).plain);
  EXPECT_FALSE(combine(combine(sum(0), sum(20)), combine(sum(10), sum(30))).plain);
  // What is no segment has no numbers.
  const auto other = sum_of_segment<InOrderNumbers>(test_segment(0), 0);
  EXPECT_TRUE(combine(combine(sum(0), other), combine(sum(7, kDuplicate), sum(10))).plain);
  EXPECT_TRUE(combine(other, sum(0)).tcp);
  EXPECT_FALSE(combine(other, sum(7, kDuplicate)).tcp);
}

auto fields_of(const NearNumbers& n) {
  return std::tuple(n.base + static_cast<std::uint32_t>(n.lowest), n.base + static_cast<std::uint32_t>(n.highest));
}
auto fields_of(const InOrderNumbers& n) { return std::tuple(n.begin, n.length); }

template <class Numbers>
auto fields_of(const SegmentSum<Numbers>& s) {
  const Numbers numbers = s.plain ? s.numbers : Numbers{};
  return std::tuple(s.first_ns, s.last_ns, s.bytes, s.payload_bytes, s.duplicate_bytes, s.packets, s.data_segments,
                    s.duplicate_packets, s.zero_window_count, s.tcp_flags, s.plain, s.plain && s.tcp,
                    fields_of(numbers));
}

auto retransmitted_in(const NearNumbers& n) { return std::tuple(n.retransmitted_segments, n.retransmitted_bytes); }
auto retransmitted_in(const InOrderNumbers&) { return std::tuple(); }

// In whatever groups, a sum of segments in order is the same; and of others the same that they cannot be taken
// together.
TEST(SegmentSum, InOrderIsTheSameInAllGroups) {
  std::mt19937_64 random(1);
  int plain = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const Packets packets = FlowTraffic(1, 100, seed, 100).packets(1 + random() % 40);
    SegmentSum<InOrderNumbers> expected;
    for (const MarkedPacket& m : packets) expected = combine(expected, sum_of_packet<InOrderNumbers>(m));
    plain += expected.plain;
    for (int i = 0; i < 5; ++i) {
      ASSERT_EQ(fields_of(sum_in_groups<InOrderNumbers>(packets.data(), packets.size(), random)), fields_of(expected));
    }
  }
  EXPECT_GT(plain, 100);
  EXPECT_LT(plain, 350);
}

class SumOfLanes : public testing::TestWithParam<unsigned> {
 protected:
  template <class Numbers>
  static void check(std::uint64_t disorder) {
    unsigned plain = 0;
    with_tile_size(GetParam(), [&plain, disorder](auto size) {
      for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const Packets packets = FlowTraffic(1, 300, seed, disorder).packets(size);
        SegmentSum<Numbers> expected;
        for (const MarkedPacket& m : packets) expected = combine(expected, sum_of_packet<Numbers>(m));
        plain += expected.plain;
        unsigned lanes = 0;
        const auto body = [&](auto& tile) {
          ++lanes;
          const auto sum = sum_of_lanes(tile, sum_of_packet<Numbers>(packets[tile.rank()]));
          ASSERT_EQ(fields_of(sum), fields_of(expected));
          if (sum.plain) {
            ASSERT_EQ(retransmitted_in(sum.numbers), retransmitted_in(expected.numbers));
          }
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
    EXPECT_GT(plain, 10u);
  }
};

TEST_P(SumOfLanes, IsThatOfAPlainLoopInEveryLane) { check<NearNumbers>(5); }
TEST_P(SumOfLanes, KeepsTheOrder) { check<InOrderNumbers>(1000); }
TEST_P(SumOfLanes, TellsWhatIsNotInOrder) { check<InOrderNumbers>(50); }

INSTANTIATE_TEST_SUITE_P(Sizes, SumOfLanes, testing::ValuesIn(tile_sizes()));

}  // namespace
}  // namespace warpmeter::test
