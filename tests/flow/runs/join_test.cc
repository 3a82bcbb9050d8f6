// When partials of one key are one flow, and what becomes of their counters and end reasons.
#include "flow/runs/join.h"

#include <gtest/gtest.h>

#include "support/record_maker.h"

namespace warpmeter {
namespace {

constexpr Timeouts kTimeouts{1000, 10'000};

struct Part : Partial {
  Part(std::int64_t start, std::int64_t end, std::uint64_t number)
      : Partial(test::test_record(1, start, end, number)) {}
  Part& let(Removal how, EndReason why) {
    removal = how;
    end_reason = why;
    return *this;
  }
  Part& evicted() { return let(Removal::evicted, EndReason::lack_of_resources); }
  Part& idle() { return let(Removal::expired, EndReason::idle); }
  Part& ended(EndReason why) { return let(Removal::none, why); }
  Part& with_isn(std::uint32_t number) {
    isn = number;
    part |= kIsnKnown;
    return *this;
  }
  Part& with_lowest(std::uint32_t number) {
    lowest = number;
    part |= kLowestKnown;
    return *this;
  }
  Part& opening(std::uint32_t number) {
    part |= kFirstIsOpening;
    return with_isn(number).with_lowest(number);
  }
  Part& closing() {
    part |= kClosing;
    return *this;
  }
};

struct Joined {
  std::vector<FlowRecord> flows;
  JoinCounters counters;
};

Joined join(std::vector<Partial> parts, const Timeouts& timeouts = kTimeouts) {
  Join joined(test::partial_list(test::sorted(std::move(parts), arrival_order)), timeouts);
  std::vector<FlowRecord> flows = test::all_of(joined);
  return {flows, joined.counters()};
}

// How many flows two parts are, and how the first of them ended.
void expect_one(const Part& first, const Part& second) { EXPECT_EQ(join({first, second}).flows.size(), 1u); }
void expect_two(const Part& first, const Part& second, EndReason reason) {
  const auto flows = join({first, second}).flows;
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].end_reason, reason);
}

TEST(Join, OfNothingIsEmpty) { EXPECT_TRUE(join({}).flows.empty()); }

TEST(Join, WholeFlowsStayApart) {
  expect_two(Part(0, 10, 1).ended(EndReason::active), Part(10, 20, 2), EndReason::active);
  expect_two(Part(0, 10, 1), Part(0, 10, 2), EndReason::forced);
}

// Also where an earlier part of it had been evicted. What comes of its key later has a gap before it.
TEST(Join, WhatLeftASampleDoesNotGoOn) {
  const auto joined =
      join({Part(0, 100, 1).evicted(), Part(200, 300, 2).ended(EndReason::lack_of_resources), Part(400, 500, 3)});
  ASSERT_EQ(joined.flows.size(), 2u);
  EXPECT_EQ(joined.flows[0].end_ns, 300);
  EXPECT_EQ(joined.flows[0].end_reason, EndReason::lack_of_resources);
  EXPECT_EQ(joined.flows[1].start_ns, 400);
}

TEST(Join, KeysStayApart) {
  Partial other = Part(5, 6, 2);
  other.key = test::numbered_key(2);
  EXPECT_EQ(join({Part(0, 10, 1).evicted(), other}).flows.size(), 2u);
}

TEST(Join, EvictedFlowGoesOnUpToTheIdleTimeout) {
  expect_one(Part(0, 100, 1).evicted(), Part(1100, 1200, 2));
  expect_two(Part(0, 100, 1).evicted(), Part(1101, 1200, 2), EndReason::idle);
  expect_two(Part(0, 100, 1).evicted().closing(), Part(1101, 1200, 2), EndReason::end_of_flow);
}

TEST(Join, EvictedFlowGoesOnUpToTheActiveTimeout) {
  expect_one(Part(0, 9500, 1).evicted(), Part(9999, 10'200, 2));
  expect_two(Part(0, 9500, 1).evicted(), Part(10'000, 10'200, 2), EndReason::active);
  expect_two(Part(0, 9500, 1).evicted().closing(), Part(10'000, 10'200, 2), EndReason::active);
}

TEST(Join, TimeoutsOfZeroAreNever) {
  const Part first = Part(0, 100, 1).evicted(), second(1'000'000, 1'000'100, 2);
  EXPECT_EQ(join({first, second}, {0, 0}).flows.size(), 1u);
  EXPECT_EQ(join({first, second}, {0, 999'999}).flows.size(), 2u);
}

TEST(Join, SynOfAnotherConnectionEndsAnEvictedFlow) {
  expect_one(Part(0, 100, 1).with_isn(7).evicted(), Part(200, 300, 2).opening(7));
  expect_two(Part(0, 100, 1).with_isn(7).evicted(), Part(200, 300, 2).opening(8), EndReason::end_of_flow);
  expect_one(Part(0, 100, 1).with_isn(7).evicted(), Part(200, 300, 2).with_isn(8));  // its SYN was not the first packet
}

TEST(Join, LateSynBelongsToAFlowMetMidway) {
  expect_one(Part(0, 100, 1).with_lowest(8).evicted(), Part(200, 300, 2).opening(7));
  expect_one(Part(0, 100, 1).with_lowest(0).evicted(), Part(200, 300, 2).opening(UINT32_MAX));
  expect_two(Part(0, 100, 1).with_lowest(7).evicted(), Part(200, 300, 2).opening(7), EndReason::end_of_flow);
  expect_two(Part(0, 100, 1).evicted(), Part(200, 300, 2).opening(7), EndReason::end_of_flow);
}

TEST(Join, EvictedAndNotSeenAgainSaysSo) {
  const auto joined = join({Part(0, 100, 1).evicted().closing()});
  EXPECT_EQ(joined.flows[0].end_reason, EndReason::lack_of_resources);
  EXPECT_EQ(joined.counters.evicted_joined, 0u);
}

TEST(Join, ManyPartsBecomeOne) {
  const auto joined = join({Part(0, 100, 1).evicted(), Part(200, 300, 2).evicted(), Part(300, 400, 3).evicted(),
                            Part(900, 1000, 4).ended(EndReason::idle)});
  ASSERT_EQ(joined.flows.size(), 1u);
  EXPECT_EQ(joined.flows[0].packets, 4u);
  EXPECT_EQ(joined.flows[0].bytes, 400u);
  EXPECT_EQ(joined.flows[0].start_ns, 0);
  EXPECT_EQ(joined.flows[0].end_ns, 1000);
  EXPECT_EQ(joined.flows[0].arrival, 1u);
  EXPECT_EQ(joined.flows[0].end_reason, EndReason::idle);
  EXPECT_EQ(joined.counters.evicted_joined, 3u);
}

TEST(Join, ClosingOfAnyPartCounts) {
  const Part first = Part(0, 100, 1).evicted().closing();
  EXPECT_EQ(join({first, Part(200, 300, 2)}).flows[0].end_reason, EndReason::end_of_flow);
  EXPECT_EQ(join({first, Part(200, 300, 2).evicted()}).flows[0].end_reason, EndReason::lack_of_resources);
  EXPECT_EQ(join({first, Part(200, 300, 2).ended(EndReason::active)}).flows[0].end_reason, EndReason::active);
}

// The second part did not know the ISN, so the same SYN again looked like another connection to it.
TEST(Join, LostStateEndsNoFlow) {
  const auto joined = join({Part(0, 100, 1).opening(7).evicted(), Part(200, 300, 2).ended(EndReason::end_of_flow),
                            Part(400, 500, 3).opening(7), Part(600, 700, 4).opening(8)});
  ASSERT_EQ(joined.flows.size(), 2u);
  EXPECT_EQ(joined.flows[0].packets, 3u);
  EXPECT_EQ(joined.counters.evicted_joined, 1u);
}

TEST(Join, WhatThePartsKnowIsKept) {
  Partial second = Part(200, 300, 2).with_isn(7).with_lowest(9);
  second.flags |= kHasConnection;
  second.connection_bytes = 50;
  second.connection_ns = 60;
  const FlowRecord whole = join({Part(0, 100, 1).evicted(), second}).flows.at(0);
  EXPECT_EQ(whole.connection_bytes, 50);
  EXPECT_EQ(whole.connection_ns, 60);
  EXPECT_EQ(whole.flags, kHasConnection);
}

// What tells a further part whether it opens another connection.
TEST(Join, NumbersThatThePartsKnowAreKept) {
  const Part first = Part(0, 100, 1).evicted();
  const Part with_isn = Part(200, 300, 2).with_isn(7).with_lowest(9).evicted();
  EXPECT_EQ(join({first, with_isn, Part(400, 500, 3).opening(7)}).flows.size(), 1u);
  EXPECT_EQ(join({first, with_isn, Part(400, 500, 3).opening(8)}).flows.size(), 2u);
  const Part without = Part(200, 300, 2).with_lowest(9).evicted();
  EXPECT_EQ(join({first, without, Part(400, 500, 3).opening(8)}).flows.size(), 1u);
  EXPECT_EQ(join({first, without, Part(400, 500, 3).opening(7)}).flows.size(), 2u);
}

TEST(Join, LatePacketsFindTheirIdleFlow) {
  const auto late = join({Part(0, 100, 1).idle(), Part(1100, 1100, 2)});
  EXPECT_EQ(late.flows.size(), 1u);
  EXPECT_EQ(late.counters.late_packets, 1u);
  const auto on_time = join({Part(0, 100, 1).idle(), Part(1101, 1101, 2)});
  EXPECT_EQ(on_time.flows.size(), 2u);
  EXPECT_EQ(on_time.flows[0].end_reason, EndReason::idle);
  EXPECT_EQ(on_time.counters.late_packets, 0u);
}

// The flow would have been cut there: it ended by the active timeout, and its sequence state is lost to the next part.
TEST(Join, LatePacketsMayComeWhereTheFlowIsCut) {
  const auto late = join({Part(0, 9900, 1).idle().closing(), Part(10'100, 10'100, 2)});
  ASSERT_EQ(late.flows.size(), 2u);
  EXPECT_EQ(late.flows[0].end_reason, EndReason::active);
  EXPECT_EQ(late.counters.late_packets, 1u);
}

TEST(Join, ANewConnectionEndsAnIdleFlowWhereTimeRunsBack) {
  const auto flows = join({Part(0, 100, 1).idle().with_isn(7), Part(200, 200, 2).opening(8)});
  ASSERT_EQ(flows.flows.size(), 2u);
  EXPECT_EQ(flows.flows[0].end_reason, EndReason::end_of_flow);
  EXPECT_EQ(flows.counters.late_packets, 0u);
}

// Time ran back: what arrived later starts earlier.
TEST(Join, LaterPartMayStartFirst) {
  const auto joined = join({Part(5000, 6000, 1).idle(), Part(100, 200, 2).ended(EndReason::forced)});
  ASSERT_EQ(joined.flows.size(), 1u);
  EXPECT_EQ(joined.flows[0].start_ns, 100);
  EXPECT_EQ(joined.flows[0].end_ns, 6000);
  EXPECT_EQ(joined.flows[0].arrival, 1u);
  EXPECT_EQ(joined.flows[0].end_reason, EndReason::forced);
  EXPECT_EQ(joined.counters.late_packets, 1u);
}

// ... but not every packet of it: the first one decides, and it came after the idle timeout.
TEST(Join, TheFirstPacketDecidesWhereTimeRunsBack) {
  Part later(90, 5000, 2);
  later.first_ns = 5000;
  const auto joined = join({Part(0, 100, 1).idle(), later});
  EXPECT_EQ(joined.flows.size(), 2u);
  EXPECT_EQ(joined.counters.late_packets, 0u);
}

// What came between two parts of a key is not skipped because it starts elsewhere in time.
TEST(Join, PartsFollowEachOtherAsTheyArrived) {
  const auto joined = join({Part(500, 600, 1).opening(7).evicted(), Part(100, 200, 2).opening(8).ended(EndReason::idle),
                            Part(550, 700, 3).opening(7).ended(EndReason::forced)});
  ASSERT_EQ(joined.flows.size(), 3u);
  EXPECT_EQ(joined.flows[0].end_reason, EndReason::end_of_flow);
}

TEST(Join, TwoFinsLeaveNoConnection) {
  Part first(0, 100, 1), second(150, 200, 2);
  first.evicted().flags |= kHasConnection;
  first.connection_bytes = 50;
  first.fin_count = 1;
  EXPECT_TRUE(join({first, second}).flows[0].flags & kHasConnection);
  second.fin_count = 1;
  EXPECT_FALSE(join({first, second}).flows[0].flags & kHasConnection);
}

TEST(Join, LaterPartThatStartsFirstStaysApartFromAWholeFlow) {
  EXPECT_EQ(join({Part(5000, 6000, 1), Part(100, 200, 2).idle()}).flows.size(), 2u);
  EXPECT_EQ(join({Part(5000, 6000, 1).opening(7).evicted(), Part(100, 200, 2).opening(8)}).flows.size(), 2u);
}

TEST(Join, CountsFlowsByEndReason) {
  const auto counters = join({Part(0, 1, 1).ended(EndReason::idle), Part(10, 11, 2).ended(EndReason::idle),
                              Part(20, 21, 3).evicted(), Part(5000, 5001, 4)})
                            .counters;
  EXPECT_EQ(counters.flows_by_end_reason, (std::array<std::uint64_t, 6>{0, 3, 0, 0, 1, 0}));
}

}  // namespace
}  // namespace warpmeter
