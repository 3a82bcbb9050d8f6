// What a segment does to a flow under method five-tuple: the table says what is retransmitted, and no holes are kept.
#include <gtest/gtest.h>

#include "core/partial_of_state.h"
#include "support/count_segment.h"
#include "support/segment_maker.h"
#include "support/tcp_flow.h"

namespace warpmeter::test {
namespace {

class FiveTupleFlow {
 public:
  FiveTupleFlow() { start_flow(state, {0, 0, false}, 1); }

  FiveTupleFlow& segment(std::uint8_t flags, std::uint32_t sequence, std::uint32_t payload, bool again = false) {
    count_five_tuple_segment(state, test_segment(time_ns).tcp(sequence, flags, payload), again, stray);
    return *this;
  }
  FiveTupleFlow& data(std::uint32_t sequence, std::uint32_t payload, bool again = false) {
    return segment(16, sequence, payload, again);
  }
  FiveTupleFlow& at(std::int64_t ns) {
    time_ns = ns;
    return *this;
  }
  Partial record() const { return partial_of(state, EndReason::forced, Removal::none, {}); }

  FlowState state{};
  StrayState stray{};
  std::int64_t time_ns = 0;
};

TEST(FlowStateFiveTuple, RetransmittedIsWhatTheTableSays) {
  const Partial r = FiveTupleFlow().data(1000, 10).data(1000, 10).data(1010, 20, true).data(5000, 7, true).record();
  EXPECT_EQ(r.retransmitted_segments, 2u);
  EXPECT_EQ(r.retransmitted_bytes, 27u);  // all of their payload
  EXPECT_EQ(r.data_segments, 4u);
  EXPECT_EQ(r.payload_bytes, 47u);
}

TEST(FlowStateFiveTuple, FirstSegmentMayBeRetransmitted) {
  const Partial r = FiveTupleFlow().data(1000, 10, true).record();
  EXPECT_EQ(r.retransmitted_segments, 1u);
  EXPECT_EQ(r.lowest, 1000u);
}

TEST(FlowStateFiveTuple, CountsNothingOfTheExactMethod) {
  FiveTupleFlow flow;
  flow.data(5000, 10).data(1000, 10).data(9000, 10).data(8999, 1).data(9009, 0);
  EXPECT_EQ(flow.record().out_of_order_segments, 0u);
  EXPECT_EQ(flow.record().keep_alive_segments, 0u);
  EXPECT_EQ(flow.record().missing_bytes, 0u);
  EXPECT_EQ(flow.state.holes, 0u);
}

TEST(FlowStateFiveTuple, RangeIsThatOfTheExactMethod) {
  FiveTupleFlow five_tuple;
  TcpFlow exact;
  for (const auto& [flags, sequence, payload] :
       {std::tuple(16, 0xfffffff0u, 100u), std::tuple(16, 0xffff0000u, 5u), std::tuple(16, 70'000u, 0u),
        std::tuple(17, 100'000u, 8u), std::tuple(16, 0x70000000u, 8u), std::tuple(2, 0xf0000000u, 8u)}) {
    five_tuple.segment(static_cast<std::uint8_t>(flags), sequence, payload);
    exact.segment(static_cast<std::uint8_t>(flags), sequence, payload);
    EXPECT_EQ(five_tuple.state.lowest, exact.state.lowest);
    EXPECT_EQ(five_tuple.state.highest, exact.state.highest);
  }
}

TEST(FlowStateFiveTuple, ResetsTouchNoSequenceState) {
  FiveTupleFlow flow;
  flow.segment(kRst, 77, 5).segment(kRst | kSyn | kFin, 99, 5);
  EXPECT_EQ(flow.state.bits & (kRangeKnown | kIsn | kFinKnown), 0);
  const Partial r = flow.record();
  EXPECT_EQ(r.rst_count, 2u);
  EXPECT_EQ(r.syn_count, 1u);
  EXPECT_EQ(r.fin_count, 1u);
  EXPECT_EQ(r.data_segments, 0u);
  EXPECT_EQ(r.end_reason, EndReason::end_of_flow);
}

TEST(FlowStateFiveTuple, ConnectionIsThatOfTheExactMethod) {
  FiveTupleFlow flow;
  flow.at(100).segment(kSyn, 1000, 0).at(200).data(1001, 50).at(350).segment(kFin, 1051, 0);
  const Partial r = flow.record();
  EXPECT_EQ(r.flags & kHasConnection, kHasConnection);
  EXPECT_EQ(r.connection_bytes, 50);
  EXPECT_EQ(r.connection_ns, 250);
  EXPECT_EQ(r.isn, 1000u);
}

TEST(FlowStateFiveTuple, FlagsAndWindowsAreCounted) {
  FiveTupleFlow flow;
  Segment closed = test_segment(0).tcp(1000, 16 | 8, 0);
  closed.window = 0;
  count_five_tuple_segment(flow.state, closed, false, flow.stray);
  flow.data(1000, 10);
  EXPECT_EQ(flow.record().zero_window_count, 1u);
  EXPECT_EQ(flow.record().tcp_flags, 24);
  EXPECT_EQ(flow.record().data_segments, 1u);
}

}  // namespace
}  // namespace warpmeter::test
