// Flow states: their life, what every packet counts, and the Flow Record they become.

#include <gtest/gtest.h>

#include <cstring>

#include "core/partial_of_state.h"
#include "support/keys.h"
#include "support/tcp_flow.h"

namespace warpmeter::test {
namespace {

Segment packet(std::int64_t time_ns, std::uint32_t length) {
  Segment s;
  s.time_ns = time_ns;
  s.length = length;
  return s;
}

// Memory as it may come from a table: full of what was there before.
FlowState dirty_state() {
  FlowState f;
  std::memset(static_cast<void*>(&f), 0xa5, sizeof f);
  f.key = key_of({});
  return f;
}

TEST(FlowState, StartAndEndAreTheEarliestAndLatestTime) {
  FlowState f = dirty_state();
  start_flow(f, {50, 0, false}, 7);
  for (const std::int64_t time : {50, 90, 20, 60}) count_packet(f, packet(time, 100));
  const Partial r = partial_of(f, EndReason::forced, Removal::none, {});
  EXPECT_EQ(r.start_ns, 20);
  EXPECT_EQ(r.end_ns, 90);
  EXPECT_EQ(r.arrival, 7u);
  EXPECT_EQ(r.packets, 4u);
  EXPECT_EQ(r.bytes, 400u);
  EXPECT_TRUE(r.key == f.key);
}

TEST(FlowState, DuplicatesCountAmongPacketsAndOnTheirOwn) {
  FlowState f = dirty_state();
  start_flow(f, {0, 0, false}, 1);
  count_packet(f, packet(0, 100));
  count_packet(f, packet(1, 100));
  count_duplicate(f, packet(1, 100));
  const Partial r = partial_of(f, EndReason::forced, Removal::none, {});
  EXPECT_EQ(r.packets, 2u);
  EXPECT_EQ(r.bytes, 200u);
  EXPECT_EQ(r.duplicate_packets, 1u);
  EXPECT_EQ(r.duplicate_bytes, 100u);
  EXPECT_EQ(r.end_ns, 1);
}

TEST(FlowState, BytesGoBeyond32Bits) {
  FlowState f = dirty_state();
  start_flow(f, {0, 0, false}, 1);
  count_packet(f, packet(0, 0xffffffff));
  count_packet(f, packet(0, 0xffffffff));
  EXPECT_EQ(f.bytes, 8'589'934'590u);
}

TEST(FlowState, NewFlowHasNoHistory) {
  FlowState f = dirty_state();
  start_flow(f, {5, 0, false}, 1);
  const Partial r = partial_of(f, EndReason::idle, Removal::none, {});
  for (const std::uint64_t counter :
       {r.packets, r.bytes, r.payload_bytes, r.data_segments, r.retransmitted_segments, r.retransmitted_bytes,
        r.duplicate_packets, r.duplicate_bytes, r.out_of_order_segments, r.keep_alive_segments, r.syn_count,
        r.fin_count, r.rst_count, r.zero_window_count}) {
    EXPECT_EQ(counter, 0u);
  }
  EXPECT_EQ(r.tcp_flags, 0);
  EXPECT_EQ(r.flags, 0);
  EXPECT_EQ(r.part, 0);
  EXPECT_EQ(f.holes, 0u);
  EXPECT_EQ(r.end_reason, EndReason::idle);
}

TEST(FlowState, RecordSaysWhetherTheFirstPacketWasOpening) {
  FlowState f = dirty_state();
  start_flow(f, {5, 1000, true}, 1);
  EXPECT_EQ(partial_of(f, EndReason::idle, Removal::none, {}).part & kFirstIsOpening, kFirstIsOpening);
  start_part(f, {6, 1000, false}, 2);
  EXPECT_EQ(partial_of(f, EndReason::idle, Removal::none, {}).part & kFirstIsOpening, 0);
  start_part(f, {7, 1000, true}, 3);
  EXPECT_EQ(partial_of(f, EndReason::idle, Removal::none, {}).part & kFirstIsOpening, kFirstIsOpening);
}

TEST(FlowState, RecordSaysWhetherTheIncarnationBeganWithAnAnswer) {
  FlowState f = dirty_state();
  const auto flags = [&f] { return partial_of(f, EndReason::idle, Removal::none, {}).flags & kAnswerer; };
  start_flow(f, {5, 1000, true, true}, 1);
  EXPECT_EQ(flags(), kAnswerer);
  start_part(f, {6, 1001, false, true}, 2);
  EXPECT_EQ(flags(), kAnswerer) << "behind an active timeout";
  FlowState other;
  take_over(other, f);
  EXPECT_EQ(partial_of(other, EndReason::idle, Removal::none, {}).flags & kAnswerer, kAnswerer);
  start_flow(f, {7, 1000, true, false}, 3);
  EXPECT_EQ(flags(), 0) << "a SYN";
  start_flow(f, {7, 1000, false, true}, 3);
  EXPECT_EQ(flags(), 0) << "a SYN+ACK with RST, or a duplicate";
}

TEST(FlowState, RecordTellsTheOriginToTheJoin) {
  TcpFlow flow;
  EXPECT_EQ(flow.record().part & (kIsnKnown | kLowestKnown), 0);
  flow.data(501, 10);
  EXPECT_EQ(flow.record().part & (kIsnKnown | kLowestKnown), kLowestKnown);
  EXPECT_EQ(flow.record().lowest, 501u);
  flow.syn(500);
  EXPECT_EQ(flow.record().part & (kIsnKnown | kLowestKnown), kIsnKnown | kLowestKnown);
  EXPECT_EQ(flow.record().isn, 500u);
  EXPECT_EQ(flow.record().lowest, 500u);
}

TEST(FlowState, FlagsAreJoinedAndCounted) {
  TcpFlow flow;
  flow.syn(1000).segment(0x10 | 0x08, 1001, 5).segment(0xc0, 1006, 5).fin(1011).fin(1011);
  const Partial r = flow.record();
  EXPECT_EQ(r.tcp_flags, 0xc0 | 0x18 | kSyn | kFin);
  EXPECT_EQ(r.syn_count, 1u);
  EXPECT_EQ(r.fin_count, 2u);
  EXPECT_EQ(r.rst_count, 0u);
  EXPECT_EQ(r.data_segments, 2u);
  EXPECT_EQ(r.payload_bytes, 10u);
}

// The paper's rule: SYN and FIN count too, RST never.
TEST(FlowState, ZeroWindowCountsEverythingButResets) {
  TcpFlow flow;
  flow.window = 0;
  flow.syn(1000).ack(1001).data(1001, 1).fin(1002).rst(1003);
  EXPECT_EQ(flow.record().zero_window_count, 4u);
  flow.window = 1;
  flow.ack(1003);
  EXPECT_EQ(flow.record().zero_window_count, 4u);
}

TEST(FlowState, ClosingOutlivesTheActiveTimeout) {
  TcpFlow flow;
  flow.syn(1000).fin(1001).cut();
  EXPECT_EQ(flow.record().end_reason, EndReason::end_of_flow);
  EXPECT_EQ(partial_of(flow.state, EndReason::active, Removal::none, {}).end_reason, EndReason::active);
  EXPECT_EQ(flow.record().fin_count, 0u);
  EXPECT_EQ(flow.record().part & kClosing, kClosing);
}

TEST(FlowState, ResetCloses) {
  TcpFlow flow;
  EXPECT_EQ(flow.ack(1).record().end_reason, EndReason::forced);
  EXPECT_EQ(flow.rst(1).record().end_reason, EndReason::end_of_flow);
}

TEST(FlowState, LetGoAndMissingGoIntoTheRecord) {
  const Partial r = partial_of(TcpFlow().state, EndReason::lack_of_resources, Removal::evicted, {77, 0});
  EXPECT_EQ(r.removal, Removal::evicted);
  EXPECT_EQ(r.missing_bytes, 77u);
  EXPECT_EQ(r.end_reason, EndReason::lack_of_resources);
}

}  // namespace
}  // namespace warpmeter::test
