// Which flows are paired, and who the initiator is.
#include "flow/runs/record_cursors.h"

#include <gtest/gtest.h>

#include <utility>

#include "core/biflow_key.h"
#include "support/record_maker.h"

namespace warpmeter {
namespace {

FlowRecord out(std::int64_t start, std::int64_t end, std::uint64_t arrival, std::uint8_t flags = 0) {
  FlowRecord record = test::test_record(1, start, end, arrival);
  record.flags = flags;
  return record;
}

FlowRecord back(std::int64_t start, std::int64_t end, std::uint64_t arrival, std::uint8_t flags = 0) {
  FlowRecord record = out(start, end, arrival, flags);
  record.key = reversed(record.key);
  return record;
}

// Arrival of the forward direction and of the reverse, 0 if there is none.
using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Pairs pairs_of(std::vector<FlowRecord> flows, std::int64_t longest_gap = 10) {
  Biflows biflows(test::record_list(test::sorted(std::move(flows), biflow_output_order)), longest_gap);
  Pairs pairs;
  for (; biflows.head(); biflows.advance()) {
    pairs.emplace_back(biflows.head()->arrival, biflows.reverse() ? biflows.reverse()->arrival : 0);
  }
  return pairs;
}

TEST(Biflows, OfNothingIsEmpty) { EXPECT_EQ(pairs_of({}), Pairs()); }

TEST(Biflows, PairsBothDirectionsFirstPacketFirst) {
  EXPECT_EQ(pairs_of({out(0, 9, 1), back(1, 8, 2)}), (Pairs{{1, 2}}));
  EXPECT_EQ(pairs_of({out(1, 9, 2), back(0, 8, 1)}), (Pairs{{1, 2}}));
}

TEST(Biflows, TheOneWhoSentASynAloneIsTheInitiator) {
  EXPECT_EQ(pairs_of({out(5, 9, 2, kOpener), back(0, 8, 1)}), (Pairs{{2, 1}}));
  EXPECT_EQ(pairs_of({out(5, 9, 2, kOpener), back(0, 8, 1, kOpener)}), (Pairs{{1, 2}})) << "both: the first packet";
}

TEST(Biflows, TheReceiverOfAFirstSynAckIsTheInitiator) {
  EXPECT_EQ(pairs_of({out(0, 9, 1, kAnswerer), back(1, 8, 2)}), (Pairs{{2, 1}}));
  EXPECT_EQ(pairs_of({out(1, 9, 2, kAnswerer), back(0, 8, 1)}), (Pairs{{1, 2}})) << "behind the other's first";
  EXPECT_EQ(pairs_of({out(0, 9, 1, kAnswerer), back(1, 8, 2, kAnswerer)}), (Pairs{{2, 1}})) << "of the first of two";
  EXPECT_EQ(pairs_of({out(0, 9, 1, kAnswerer | kOpener), back(1, 8, 2)}), (Pairs{{1, 2}})) << "a SYN without ACK later";
  EXPECT_EQ(pairs_of({out(0, 9, 1, kAnswerer | kOpener), back(1, 8, 2, kOpener)}), (Pairs{{2, 1}})) << "both";
}

TEST(Biflows, TheReceiverOfAnAnswerIsTheInitiator) {
  const auto pair = [](std::uint8_t protocol, int request) {
    FlowRecord asked = out(1, 2, 2);
    asked.key.protocol = protocol;
    asked.key.source_port[0] = asked.key.source_port[1] = asked.key.destination_port[1] = 0;
    asked.key.destination_port[0] = static_cast<std::uint8_t>(request);
    FlowRecord answered = asked;
    answered.key = reversed(asked.key);
    answered.start_ns = answered.first_ns = 0;
    answered.arrival = 1;
    return pairs_of({asked, answered});
  };
  for (const int request : {8, 13, 15, 17, 42}) EXPECT_EQ(pair(kProtocolIcmp, request), (Pairs{{2, 1}})) << request;
  for (const int request : {128, 139, 160}) EXPECT_EQ(pair(kProtocolIcmpV6, request), (Pairs{{2, 1}})) << request;
  EXPECT_EQ(pair(kProtocolIcmp, 35), (Pairs{{1, 2}})) << "the first packet";
  EXPECT_EQ(pair(kProtocolUdp, 8), (Pairs{{1, 2}})) << "ports are no types";
}

TEST(Biflows, AtTheSameTimeTheFirstInTheTraceIsTheInitiator) {
  EXPECT_EQ(pairs_of({out(0, 9, 2), back(0, 8, 1)}), (Pairs{{1, 2}}));
}

TEST(Biflows, AnAnswerMayComeAfterTheEnd) {
  EXPECT_EQ(pairs_of({out(0, 0, 1), back(10, 10, 2)}), (Pairs{{1, 2}}));
  EXPECT_EQ(pairs_of({out(0, 0, 1), back(11, 11, 2)}), (Pairs{{1, 0}, {2, 0}}));
  EXPECT_EQ(pairs_of({out(0, 0, 1), back(1'000'000, 1'000'000, 2)}, 0), (Pairs{{1, 2}})) << "any gap";
  EXPECT_EQ(pairs_of({out(INT64_MIN, INT64_MIN, 1), back(INT64_MAX, INT64_MAX, 2)}), (Pairs{{1, 0}, {2, 0}}));
}

TEST(Biflows, EachIncarnationMeetsItsOwn) {
  EXPECT_EQ(pairs_of({out(0, 1, 1), back(0, 1, 2), out(2, 3, 3), back(2, 3, 4)}), (Pairs{{1, 2}, {3, 4}}));
  // The first found no answer; the answer that begins behind the second belongs to that.
  EXPECT_EQ(pairs_of({out(0, 1, 1), out(2, 3, 2), back(2, 3, 3)}), (Pairs{{1, 0}, {2, 3}}));
  EXPECT_EQ(pairs_of({out(0, 1, 1), back(0, 1, 2), back(5, 6, 3)}), (Pairs{{1, 2}, {3, 0}}));
}

TEST(Biflows, StrangersStayAlone) {
  FlowRecord stranger = test::test_record(2, 0, 1, 2);
  EXPECT_EQ(pairs_of({out(0, 1, 1), stranger}), (Pairs{{1, 0}, {2, 0}}));
  FlowRecord itself = out(0, 1, 1);  // from an address and port to the same
  itself.key.protocol = kProtocolUdp;
  std::copy(std::begin(itself.key.source), std::end(itself.key.source), itself.key.destination);
  std::copy(std::begin(itself.key.source_port), std::end(itself.key.source_port), itself.key.destination_port);
  FlowRecord again = itself;
  again.arrival = 2;
  again.start_ns = again.end_ns = 2;
  EXPECT_EQ(pairs_of({itself, again}), (Pairs{{1, 0}, {2, 0}}));
}

}  // namespace
}  // namespace warpmeter
