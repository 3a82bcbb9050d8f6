// The fast form does what judge() and apply() do, says what they say, and takes no packet that is not its own.
#include "flow/meter/shard.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <optional>
#include <random>

#include "core/apply.h"
#include "core/judge.h"
#include "support/segment_maker.h"
#include "support/tcp_flow.h"

namespace warpmeter::test {
namespace {

constexpr Timeouts kTimeouts{1000, 10'000};
constexpr std::uint32_t kNeverFull = std::numeric_limits<CompactCount>::max();

template <class State>
Verdict count_long_way(State& flow, const Segment& s, std::optional<ArrayHoles>& holes) {
  const Verdict before = judge_boundary(flow, s, false, kTimeouts);
  if (opens_flow(before.boundary)) {
    holes.emplace();
    start_flow(flow, next_packet(s, false), 1);
  } else if (before.boundary == Boundary::active) {
    start_part(flow, next_packet(s, false), 1);
  }
  const Verdict verdict = judge_numbers(before, flow, s, false, *holes);
  apply(flow, s, verdict, *holes);
  flow.holes = holes->any();
  return verdict;
}

// A flow that has come to `next`.
template <class State = CompactFlowState>
State flow_at(std::uint32_t next, std::int64_t time_ns = 500) {
  State flow;
  std::memset(static_cast<void*>(&flow), 0, sizeof flow);
  std::optional<ArrayHoles> holes(std::in_place);
  count_long_way(flow, test_segment(time_ns).tcp(next - 100, kAck, 100), holes);
  return flow;
}

bool is_next(const CompactFlowState& flow, const Segment& s, std::uint32_t full = kNeverFull) {
  return is_in_order(flow, s, kTimeouts, full);
}

TEST(InOrder, IsWhatBeginsWhereTheFlowHasComeTo) {
  const CompactFlowState flow = flow_at(7000);
  EXPECT_TRUE(is_next(flow, test_segment(500).tcp(7000, kAck, 10)));
  EXPECT_TRUE(is_next(flow, test_segment(500).tcp(7000, kAck, 0)));
  EXPECT_FALSE(is_next(flow, test_segment(500).tcp(6999, kAck, 10)));
  EXPECT_FALSE(is_next(flow, test_segment(500).tcp(7001, kAck, 10)));
}

TEST(InOrder, OpensClosesAndResetsNothing) {
  const CompactFlowState flow = flow_at(7000);
  for (const std::uint8_t flag : {kSyn, kFin, kRst}) {
    EXPECT_FALSE(is_next(flow, test_segment(500).tcp(7000, static_cast<std::uint8_t>(kAck | flag), 10)));
  }
}

TEST(InOrder, NeedsAFlowWithSequenceNumbers) {
  CompactFlowState flow = flow_at(7000);
  flow.bits &= static_cast<std::uint16_t>(~kRangeKnown);
  EXPECT_FALSE(is_next(flow, test_segment(500).tcp(7000, kAck, 10)));
}

TEST(InOrder, OfOtherProtocolsIsAnyPacket) {
  EXPECT_TRUE(is_next(flow_at(7000), test_segment(500)));
  EXPECT_FALSE(is_next(flow_at(7000), test_segment(499)));
}

TEST(InOrder, CrossesNoBoundary) {
  const CompactFlowState flow = flow_at(7000);
  EXPECT_FALSE(is_next(flow, test_segment(499).tcp(7000, kAck, 10)));
  EXPECT_TRUE(is_next(flow, test_segment(1500).tcp(7000, kAck, 10)));
  EXPECT_FALSE(is_next(flow, test_segment(1501).tcp(7000, kAck, 10)));
  CompactFlowState old = flow;
  old.end_ns = 10'000;
  EXPECT_TRUE(is_next(old, test_segment(10'499).tcp(7000, kAck, 10)));
  EXPECT_FALSE(is_next(old, test_segment(10'500).tcp(7000, kAck, 10)));
}

TEST(InOrder, LeavesFullCountersToTheMeter) {
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

void expect_same(const Verdict& a, const Verdict& b) {
  ASSERT_EQ(a.start, b.start);
  ASSERT_EQ(a.seen_before, b.seen_before);
  ASSERT_EQ(a.overlap, b.overlap);
  ASSERT_EQ(a.kind, b.kind);
  ASSERT_EQ(a.place, b.place);
  ASSERT_EQ(a.boundary, b.boundary);
}

// Random segments that keep near to where a flow has come to: in order, a little off, and everything else.
class NearTraffic {
 public:
  explicit NearTraffic(std::uint64_t seed) : random_(seed) {}

  std::uint32_t draw(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  Segment next(std::int64_t highest) {
    time_ += draw(20) ? draw(200) : 1500;
    const std::int64_t time_ns = time_ - draw(3);
    if (draw(8) == 0) return test_segment(time_ns);
    const std::uint8_t flags = draw(10) ? kAck : static_cast<std::uint8_t>(draw(64));
    const std::uint32_t off = draw(8) ? 0 : draw(4) ? draw(50) - 25 : static_cast<std::uint32_t>(random_());
    Segment s = test_segment(time_ns).tcp(on_wire(highest) + off, flags, draw(4) ? draw(1400) : draw(2));
    s.window = static_cast<std::uint16_t>(draw(3));
    return s;
  }

 private:
  std::mt19937_64 random_;
  std::int64_t time_ = 500;
};

struct Taken {
  int in_order = 0, others = 0, with_holes = 0;
};

// Begins just before 2^32 as often as not.
template <class State>
void check_flow(std::uint64_t seed, Taken& taken) {
  NearTraffic traffic(seed);
  State flow = flow_at<State>(traffic.draw(2) ? 0u - traffic.draw(3000) : traffic.draw(1u << 31) * 2);
  std::optional<ArrayHoles> holes(std::in_place);
  for (int i = 0; i < 40; ++i) {
    const Segment s = traffic.next(flow.highest);
    State same;
    std::memcpy(static_cast<void*>(&same), &flow, sizeof flow);
    const Verdict verdict = count_long_way(flow, s, holes);
    if (!is_in_order(same, s, kTimeouts, kNeverFull)) {
      ++taken.others;
      continue;
    }
    ++taken.in_order;
    taken.with_holes += same.holes != 0;
    expect_same(apply_in_order(same, s), verdict);
    ASSERT_EQ(std::memcmp(static_cast<void*>(&same), &flow, sizeof flow), 0) << "packet " << i;
  }
}

template <class State>
void check_flows() {
  Taken taken;
  for (std::uint64_t seed = 0; seed < 2000 && !testing::Test::HasFatalFailure(); ++seed) {
    SCOPED_TRACE(seed);
    check_flow<State>(seed, taken);
  }
  EXPECT_GT(taken.in_order, 30'000);
  EXPECT_GT(taken.with_holes, 5'000);
  EXPECT_GT(taken.others, 15'000);
}

TEST(InOrder, IsWhatJudgingAndApplyingDo) {
  check_flows<CompactFlowState>();
  check_flows<FlowState>();
}

}  // namespace
}  // namespace warpmeter::test
