// The short way through the meter does what the long one does, and takes no packet that is not its own.
#include "meter/next_in_order.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>

#include "support/segment_maker.h"

namespace warpmeter {
namespace {

using test::test_segment;

constexpr Timeouts kTimeouts{1000, 10'000};
constexpr std::uint32_t kNeverFull = std::numeric_limits<CompactCount>::max();

// Nothing that comes in order asks for holes.
struct NoHoles {
  std::int64_t missing(std::int64_t, std::int64_t) const { return 0; }
  void fill(std::int64_t, std::int64_t) {}
  void add_highest(std::int64_t, std::int64_t) {}
  void add_lowest(std::int64_t, std::int64_t) {}
  std::int64_t total() const { return 0; }
};

void count_long_way(CompactFlowState& flow, const Segment& s) {
  NoHoles holes;
  count_packet(flow, s);
  if (is_tcp(s)) count_tcp_segment(flow, s, holes);
}

// A flow that has come to `next`.
CompactFlowState flow_at(std::uint32_t next, std::int64_t time_ns = 500) {
  CompactFlowState flow;
  std::memset(static_cast<void*>(&flow), 0, sizeof flow);
  const Segment first = test_segment(time_ns).tcp(next - 100, kAck, 100);
  start_flow(flow, {first.time_ns, first.sequence, false}, 1);
  count_long_way(flow, first);
  return flow;
}

bool is_next(const CompactFlowState& flow, const Segment& s, std::uint32_t full = kNeverFull) {
  return is_next_in_order(flow, s, kTimeouts, full);
}

TEST(NextInOrder, IsWhatBeginsWhereTheFlowHasComeTo) {
  const CompactFlowState flow = flow_at(7000);
  EXPECT_TRUE(is_next(flow, test_segment(500).tcp(7000, kAck, 10)));
  EXPECT_TRUE(is_next(flow, test_segment(500).tcp(7000, kAck, 0)));
  EXPECT_FALSE(is_next(flow, test_segment(500).tcp(6999, kAck, 10)));
  EXPECT_FALSE(is_next(flow, test_segment(500).tcp(7001, kAck, 10)));
}

TEST(NextInOrder, OpensClosesAndResetsNothing) {
  const CompactFlowState flow = flow_at(7000);
  for (const std::uint8_t flag : {kSyn, kFin, kRst}) {
    EXPECT_FALSE(is_next(flow, test_segment(500).tcp(7000, static_cast<std::uint8_t>(kAck | flag), 10)));
  }
}

TEST(NextInOrder, NeedsAFlowWithSequenceNumbers) {
  CompactFlowState flow = flow_at(7000);
  flow.bits &= static_cast<std::uint16_t>(~kRangeKnown);
  EXPECT_FALSE(is_next(flow, test_segment(500).tcp(7000, kAck, 10)));
}

TEST(NextInOrder, OfOtherProtocolsIsAnyPacket) {
  EXPECT_TRUE(is_next(flow_at(7000), test_segment(500)));
  EXPECT_FALSE(is_next(flow_at(7000), test_segment(499)));
}

TEST(NextInOrder, CrossesNoBoundary) {
  const CompactFlowState flow = flow_at(7000);
  EXPECT_FALSE(is_next(flow, test_segment(499).tcp(7000, kAck, 10)));
  EXPECT_TRUE(is_next(flow, test_segment(1500).tcp(7000, kAck, 10)));
  EXPECT_FALSE(is_next(flow, test_segment(1501).tcp(7000, kAck, 10)));
  CompactFlowState old = flow;
  old.end_ns = 10'000;
  EXPECT_TRUE(is_next(old, test_segment(10'499).tcp(7000, kAck, 10)));
  EXPECT_FALSE(is_next(old, test_segment(10'500).tcp(7000, kAck, 10)));
}

TEST(NextInOrder, LeavesFullCountersToTheMeter) {
  CompactFlowState flow = flow_at(7000);
  const Segment next = test_segment(500).tcp(7000, kAck, 10);
  EXPECT_FALSE(is_next(flow, next, 1));
  EXPECT_TRUE(is_next(flow, next, 2));
  flow.packets = kNeverFull;
  EXPECT_FALSE(is_next(flow, next));
  flow.packets = 1;
  flow.bytes = std::numeric_limits<CompactBytes>::max() - next.length;
  EXPECT_TRUE(is_next(flow, next));
  ++flow.bytes;
  EXPECT_FALSE(is_next(flow, next));
}

TEST(NextInOrder, CountsAsTheLongWayCounts) {
  std::mt19937_64 random(1);
  const auto draw = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  int next = 0, other = 0;
  for (int round = 0; round < 2000; ++round) {
    CompactFlowState flow = flow_at(0u - draw(3000));
    std::int64_t time = 500;
    for (int i = 0; i < 20; ++i) {
      time += draw(20) ? draw(300) : 1500;
      Segment s = test_segment(time - draw(3));
      if (draw(8)) {
        const std::uint8_t flags = draw(10) ? kAck : static_cast<std::uint8_t>(draw(64));
        s = test_segment(time - draw(3))
                .tcp(static_cast<std::uint32_t>(flow.highest) + (draw(8) ? 0 : draw(50)), flags,
                     draw(4) ? draw(1400) : 0);
        s.window = static_cast<std::uint16_t>(draw(3));
      }
      CompactFlowState same;
      std::memcpy(static_cast<void*>(&same), &flow, sizeof flow);
      count_long_way(flow, s);
      if (!is_next(same, s)) {
        ++other;
        continue;
      }
      ++next;
      count_next_in_order(same, s);
      ASSERT_EQ(std::memcmp(&same, &flow, sizeof flow), 0) << "round " << round << ", packet " << i;
    }
  }
  EXPECT_GT(next, 5000);
  EXPECT_GT(other, 5000);
}

}  // namespace
}  // namespace warpmeter
