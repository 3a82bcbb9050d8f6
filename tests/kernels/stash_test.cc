// Counters that were handed over early meet the record of their part, whenever and in whatever order they come.
#include "stash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "record_sink.cuh"
#include "support/record_maker.h"
#include "warpmeter/device_meter.h"

namespace warpmeter::test {
namespace {

using Records = std::vector<FlowRecord>;

// Of one part, with so many packets.
FlowRecord part(std::uint32_t flow, std::uint64_t arrival, std::uint64_t packets, int flags = 0) {
  FlowRecord record = test_record(flow, 100, 200, arrival);
  record.packets = packets;
  record.bytes = packets * 100;
  record.flags = static_cast<std::uint8_t>(flags);
  return record;
}

Records settled(Stash& stash, Records records) {
  stash.settle(records);
  return records;
}

TEST(Stash, LeavesOrdinaryRecordsAlone) {
  Stash stash;
  const Records records = {part(1, 1, 5, kClosing), part(2, 2, 6), part(1, 3, 7, kHasConnection)};
  EXPECT_TRUE(same_records(records, settled(stash, records)));
  EXPECT_TRUE(settled(stash, {}).empty());
}

TEST(Stash, AddsWhatCameInTheSameCall) {
  for (const bool record_first : {false, true}) {
    Stash stash;
    Records records = {part(1, 1, 5, kIsAside), part(1, 1, 7, kHasAside)};
    if (record_first) std::swap(records[0], records[1]);
    EXPECT_TRUE(same_records({part(1, 1, 12)}, settled(stash, records)));
  }
}

TEST(Stash, KeepsWhatCameBefore) {
  Stash stash;
  EXPECT_TRUE(settled(stash, {part(1, 1, 5, kIsAside)}).empty());
  EXPECT_TRUE(settled(stash, {part(1, 1, 6, kIsAside), part(1, 1, 7, kIsAside)}).empty());
  EXPECT_TRUE(same_records({part(2, 9, 1), part(1, 1, 26)}, settled(stash, {part(2, 9, 1), part(1, 1, 8, kHasAside)})));
}

TEST(Stash, TellsPartsApartByKeyAndArrival) {
  Stash stash;
  settled(stash, {part(1, 1, 10, kIsAside), part(1, 2, 20, kIsAside), part(2, 1, 40, kIsAside)});
  EXPECT_TRUE(same_records({part(2, 1, 41)}, settled(stash, {part(2, 1, 1, kHasAside)})));
  EXPECT_TRUE(same_records({part(1, 2, 21), part(1, 1, 11)},
                           settled(stash, {part(1, 2, 1, kHasAside), part(1, 1, 1, kHasAside)})));
}

TEST(Stash, ForgetsWhatItHasGiven) {
  Stash stash;
  for (const std::uint64_t packets : {10u, 20u}) {
    settled(stash, {part(1, 1, packets, kIsAside)});
    EXPECT_TRUE(same_records({part(1, 1, packets + 1)}, settled(stash, {part(1, 1, 1, kHasAside)})));
  }
}

// What is aside is of the part's earlier packets, but where time runs back that is not all there is to its times.
TEST(Stash, TimesAndFlagsAreJoinedAndTheRestIsTheRecords) {
  Stash stash;
  FlowRecord aside = part(1, 1, 5, int{kIsAside} | kIsnKnown);
  aside.start_ns = 50;
  aside.end_ns = 300;
  aside.tcp_flags = 2;
  aside.isn = 77;
  FlowRecord record = part(1, 1, 7, int{kHasAside} | kHasConnection | kClosing);
  record.tcp_flags = 16;
  record.isn = 88;
  record.connection_bytes = 1000;
  record.end_reason = EndReason::end_of_flow;
  const FlowRecord joined = settled(stash, {aside, record}).at(0);
  EXPECT_EQ(joined.start_ns, 50);
  EXPECT_EQ(joined.end_ns, 300);
  EXPECT_EQ(joined.tcp_flags, 18);
  EXPECT_EQ(joined.isn, 88u);
  EXPECT_EQ(joined.connection_bytes, 1000);
  EXPECT_EQ(joined.end_reason, EndReason::end_of_flow);
  EXPECT_EQ(joined.flags, kHasConnection | kClosing);
}

// The state of a part whose counters were put aside, unless told otherwise.
FlowState state_of(std::uint32_t flow, std::uint64_t arrival, int bits = int{kInUse} | kCountersAside) {
  FlowState state{};
  state.key = numbered_key(flow);
  state.arrival = arrival;
  state.bits = static_cast<std::uint16_t>(bits);
  return state;
}

TEST(Stash, GivesWhatIsAsideToAFlowThatGoesOnElsewhere) {
  Stash stash;
  settled(stash, {part(1, 1, 5, kIsAside), part(2, 1, 40, kIsAside), part(1, 2, 80, kIsAside)});
  settled(stash, {part(1, 1, 6, int{kIsAside} | kClosing)});
  const auto taken = stash.take(state_of(1, 1));
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken->packets, 11u);
  EXPECT_EQ(taken->flags & kIsAside, 0);
  // And to nobody else.
  EXPECT_TRUE(same_records({part(2, 1, 41), part(1, 2, 81)},
                           settled(stash, {part(2, 1, 1, kHasAside), part(1, 2, 1, kHasAside)})));
}

TEST(Stash, GivesNothingToAFlowWithNothingAside) {
  Stash stash;
  settled(stash, {part(1, 1, 5, kIsAside)});
  EXPECT_FALSE(stash.take(state_of(1, 1, kInUse)));
  EXPECT_EQ(stash.take(state_of(1, 1)).value().packets, 5u);
}

// A fault of the device, after which the run starts over on the CPU.
TEST(Stash, CountersThatAreNotThereAreAnError) {
  Stash stash;
  settled(stash, {part(1, 1, 5, kIsAside)});
  EXPECT_THROW(settled(stash, {part(1, 2, 7, kHasAside)}), DeviceError);
  EXPECT_THROW(stash.take(state_of(2, 1)), DeviceError);
  EXPECT_EQ(stash.take(state_of(1, 1)).value().packets, 5u);
  EXPECT_THROW(stash.take(state_of(1, 1)), DeviceError);
}

// Many parts, their pieces in random order over random calls: each part's record comes in its last call, at any place.
TEST(Stash, AddsUpManyPartsInAnyOrder) {
  std::mt19937_64 random(1);
  std::map<std::uint64_t, std::uint64_t> packets;  // by arrival
  std::vector<Records> calls(20);
  for (std::uint64_t arrival = 1; arrival <= 200; ++arrival) {
    const std::size_t last = random() % calls.size();
    const std::uint64_t pieces = random() % 4;
    for (std::uint64_t i = 0; i <= pieces; ++i) {
      const std::uint64_t count = 1 + random() % 100;
      packets[arrival] += count;
      const auto flow = static_cast<std::uint32_t>(arrival % 7);
      if (i < pieces) calls[random() % (last + 1)].push_back(part(flow, arrival, count, kIsAside));
      else calls[last].push_back(part(flow, arrival, count, pieces ? kHasAside : 0));
    }
  }
  Stash stash;
  Records all;
  for (Records& call : calls) {
    std::shuffle(call.begin(), call.end(), random);
    const Records out = settled(stash, call);
    all.insert(all.end(), out.begin(), out.end());
  }
  ASSERT_EQ(all.size(), packets.size());
  for (const FlowRecord& record : all) {
    EXPECT_EQ(record.packets, packets[record.arrival]);
    EXPECT_EQ(record.flags, 0);
    packets.erase(record.arrival);  // each once
  }
  EXPECT_TRUE(packets.empty());
}

}  // namespace
}  // namespace warpmeter::test
