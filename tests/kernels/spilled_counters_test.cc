// Counters that were handed over early meet the partial of their part, whenever and in whatever order they come.
#include "batch_results.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "core/device_meter.h"
#include "device_output.cuh"
#include "support/record_maker.h"

namespace warpmeter::test {
namespace {

using Records = std::vector<Partial>;
using Pieces = std::vector<DeviceOutput>;
using Kind = DeviceOutput::Kind;

// Of one part, with so many packets.
Partial counted(std::uint32_t flow, std::uint64_t arrival, std::uint64_t packets, int flags = 0, int part = 0) {
  Partial partial = whole(test_record(flow, 100, 200, arrival));
  partial.packets = packets;
  partial.bytes = packets * 100;
  partial.flags = static_cast<std::uint8_t>(flags);
  partial.part = static_cast<std::uint8_t>(part);
  return partial;
}

DeviceOutput spilled(std::uint32_t flow, std::uint64_t arrival, std::uint64_t packets, int part = 0) {
  return {Kind::spilled_counters, counted(flow, arrival, packets, 0, part)};
}
DeviceOutput rest(std::uint32_t flow, std::uint64_t arrival, std::uint64_t packets) {
  return {Kind::partial_with_spilled, counted(flow, arrival, packets)};
}

Records joined(SpilledCounters& spilled, const Pieces& pieces) {
  Records records;
  const std::size_t half = pieces.size() / 2;  // what belongs together may come with different calls
  spilled.join(std::span(pieces).first(half), records);
  spilled.join(std::span(pieces).subspan(half), records);
  spilled.settle(records);
  return records;
}

TEST(SpilledCounters, LeavesOrdinaryRecordsAlone) {
  SpilledCounters all_spilled;
  const Records records = {counted(1, 1, 5, 0, kClosing), counted(2, 2, 6), counted(1, 3, 7, kHasConnection)};
  Pieces pieces;
  for (const Partial& partial : records) pieces.emplace_back(Kind::partial, partial);
  pieces.emplace_back(FlowState{}, std::uint8_t{0}, StrayState{});
  EXPECT_TRUE(same_records(records, joined(all_spilled, pieces)));
  EXPECT_TRUE(joined(all_spilled, {}).empty());
}

TEST(SpilledCounters, AddsWhatCameInTheSameCall) {
  for (const bool record_first : {false, true}) {
    SpilledCounters all_spilled;
    Pieces records = {spilled(1, 1, 5), rest(1, 1, 7)};
    if (record_first) std::swap(records[0], records[1]);
    EXPECT_TRUE(same_records(Records{counted(1, 1, 12)}, joined(all_spilled, records)));
  }
}

TEST(SpilledCounters, KeepsWhatCameBefore) {
  SpilledCounters all_spilled;
  EXPECT_TRUE(joined(all_spilled, {spilled(1, 1, 5)}).empty());
  EXPECT_TRUE(joined(all_spilled, {spilled(1, 1, 6), spilled(1, 1, 7)}).empty());
  EXPECT_TRUE(same_records(Records{counted(2, 9, 1), counted(1, 1, 26)},
                           joined(all_spilled, {{Kind::partial, counted(2, 9, 1)}, rest(1, 1, 8)})));
}

TEST(SpilledCounters, TellsPartsApartByKeyAndArrival) {
  SpilledCounters all_spilled;
  joined(all_spilled, {spilled(1, 1, 10), spilled(1, 2, 20), spilled(2, 1, 40)});
  EXPECT_TRUE(same_records(Records{counted(2, 1, 41)}, joined(all_spilled, {rest(2, 1, 1)})));
  EXPECT_TRUE(
      same_records(Records{counted(1, 2, 21), counted(1, 1, 11)}, joined(all_spilled, {rest(1, 2, 1), rest(1, 1, 1)})));
}

TEST(SpilledCounters, ForgetsWhatItHasGiven) {
  SpilledCounters all_spilled;
  for (const std::uint64_t packets : {10u, 20u}) {
    joined(all_spilled, {spilled(1, 1, packets)});
    EXPECT_TRUE(same_records(Records{counted(1, 1, packets + 1)}, joined(all_spilled, {rest(1, 1, 1)})));
  }
}

// What is spilled is of the part's earlier packets, but where time runs back that is not all there is to its times.
TEST(SpilledCounters, TimesAndFlagsAreJoinedAndTheRestIsTheRecords) {
  SpilledCounters all_spilled;
  Partial spilled = counted(1, 1, 5, 0, kIsnKnown);
  spilled.start_ns = 50;
  spilled.end_ns = 300;
  spilled.tcp_flags = 2;
  spilled.isn = 77;
  Partial record = counted(1, 1, 7, kHasConnection, kClosing);
  record.tcp_flags = 16;
  record.isn = 88;
  record.connection_bytes = 1000;
  record.end_reason = EndReason::end_of_flow;
  const Partial both =
      joined(all_spilled, {{Kind::spilled_counters, spilled}, {Kind::partial_with_spilled, record}}).at(0);
  EXPECT_EQ(both.start_ns, 50);
  EXPECT_EQ(both.end_ns, 300);
  EXPECT_EQ(both.tcp_flags, 18);
  EXPECT_EQ(both.isn, 88u);
  EXPECT_EQ(both.connection_bytes, 1000);
  EXPECT_EQ(both.end_reason, EndReason::end_of_flow);
  EXPECT_EQ(both.flags, kHasConnection);
  EXPECT_EQ(both.part, kClosing);
}

// The state of a part whose counters were spilled, unless told otherwise.
FlowState state_of(std::uint32_t flow, std::uint64_t arrival, int bits = int{kInUse} | kCountersSpilled) {
  FlowState state{};
  state.key = numbered_key(flow);
  state.arrival = arrival;
  state.bits = static_cast<std::uint16_t>(bits);
  return state;
}

TEST(SpilledCounters, GivesWhatIsSpilledToAFlowThatGoesOnElsewhere) {
  SpilledCounters all_spilled;
  joined(all_spilled, {spilled(1, 1, 5), spilled(2, 1, 40), spilled(1, 2, 80)});
  joined(all_spilled, {spilled(1, 1, 6, kClosing)});
  const auto taken = all_spilled.take(state_of(1, 1));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->packets, 11u);
  // And to nobody else.
  EXPECT_TRUE(
      same_records(Records{counted(2, 1, 41), counted(1, 2, 81)}, joined(all_spilled, {rest(2, 1, 1), rest(1, 2, 1)})));
}

TEST(SpilledCounters, GivesNothingToAFlowWithNothingSpilled) {
  SpilledCounters all_spilled;
  joined(all_spilled, {spilled(1, 1, 5)});
  EXPECT_FALSE(all_spilled.take(state_of(1, 1, kInUse)));
  EXPECT_EQ(all_spilled.take(state_of(1, 1)).value().packets, 5u);
}

TEST(SpilledCounters, ThatDidNotComeAreAnError) {
  SpilledCounters all_spilled;
  joined(all_spilled, {spilled(1, 1, 5)});
  EXPECT_THROW(joined(all_spilled, {rest(1, 2, 5)}), DeviceError);
  EXPECT_THROW(all_spilled.take(state_of(2, 1)), DeviceError);
}

// Many parts, their pieces in random order over random calls: each part's record comes in its last call, at any place.
TEST(SpilledCounters, AddsUpManyPartsInAnyOrder) {
  std::mt19937_64 random(1);
  std::map<std::uint64_t, std::uint64_t> packets;  // by arrival
  std::vector<Pieces> calls(20);
  for (std::uint64_t arrival = 1; arrival <= 200; ++arrival) {
    const std::size_t last = random() % calls.size();
    const std::uint64_t pieces = random() % 4;
    for (std::uint64_t i = 0; i <= pieces; ++i) {
      const std::uint64_t count = 1 + random() % 100;
      packets[arrival] += count;
      const auto flow = static_cast<std::uint32_t>(arrival % 7);
      if (i < pieces) calls[random() % (last + 1)].push_back(spilled(flow, arrival, count));
      else calls[last].emplace_back(pieces ? Kind::partial_with_spilled : Kind::partial, counted(flow, arrival, count));
    }
  }
  SpilledCounters all_spilled;
  Records all;
  for (Pieces& call : calls) {
    std::shuffle(call.begin(), call.end(), random);
    const Records out = joined(all_spilled, call);
    all.insert(all.end(), out.begin(), out.end());
  }
  ASSERT_EQ(all.size(), packets.size());
  for (const Partial& record : all) {
    EXPECT_EQ(record.packets, packets[record.arrival]);
    EXPECT_EQ(record.flags, 0);
    packets.erase(record.arrival);  // each once
  }
  EXPECT_TRUE(packets.empty());
}

}  // namespace
}  // namespace warpmeter::test
