// Small traces, worked out by hand: what lives for how long, what is held, and what counts as new.
#include "command/memory/stream_memory.h"

#include <gtest/gtest.h>

#include <vector>

#include "support/memory_trace.h"

namespace warpmeter {
namespace {

using test::kSecond;
using test::TracePacket;
using Trace = std::vector<TracePacket>;

constexpr std::size_t kOneSecond = 0, kTwoSeconds = 1, kFourSeconds = 2, kLongest = kTimeouts - 1;
constexpr std::size_t k1K = 0, k2K = 1, k256K = kBlockSizes - 1;

TracePacket data(std::int64_t time_ns, std::uint32_t sequence, std::uint32_t payload) {
  return {.time_ns = time_ns, .sequence = sequence, .payload = payload};
}
TracePacket flags(std::int64_t time_ns, std::uint8_t flags) { return {.time_ns = time_ns, .flags = flags}; }
// Of no connection: time passes.
TracePacket other(std::int64_t time_ns) { return {.time_ns = time_ns, .tcp = false}; }

TEST(StreamMemory, OfNothingIsNothing) {
  const MemoryTables tables = test::tables_of({});
  EXPECT_TRUE(tables.is_empty());
  EXPECT_EQ(tables.packets, 0u);
}

TEST(StreamMemory, BytesAndTimeAreThoseOfAllIpPackets) {
  Trace trace = {other(5 * kSecond), data(6 * kSecond, 1, 100), other(7 * kSecond)};
  trace[0].length = 1000;
  const MemoryTables tables = test::tables_of(trace);
  EXPECT_EQ(tables.packets, 3u);
  EXPECT_EQ(tables.ip_bytes, 1080u);
  EXPECT_EQ(tables.length_ns, 2u * kSecond);
  EXPECT_DOUBLE_EQ(tables.mbps(), 1080 * 8 / 2.0 / 1e6);
}

TEST(StreamMemory, StreamBeginsWithItsFirstByteAndEndsWithFin) {
  const MemoryTables tables = test::tables_of({flags(0, kSyn), flags(kSecond / 4, kAck), data(kSecond / 2, 1, 100),
                                               flags(kSecond, kFin | kAck), other(2 * kSecond)});
  EXPECT_EQ(tables.streams[kLongest].peak, 1u);
  EXPECT_DOUBLE_EQ(tables.streams[kLongest].mean, 0.25);
  EXPECT_DOUBLE_EQ(tables.buffered[kLongest][k1K].mean, 25);
}

TEST(StreamMemory, RstOfTheOtherEndEndsItAsWell) {
  TracePacket reset = flags(kSecond, kRst);
  reset.reply = true;
  reset.payload = 50;  // is no data
  const MemoryTables tables = test::tables_of({data(0, 1, 100), reset, other(2 * kSecond)});
  EXPECT_DOUBLE_EQ(tables.streams[kLongest].mean, 0.5);
  EXPECT_EQ(tables.buffered[kLongest][k256K].peak, 100u);
}

TEST(StreamMemory, PacketThatBeginsAndEndsAStreamIsInThePeak) {
  TracePacket only = data(0, 1, 100);
  only.flags = kFin;
  const MemoryTables tables = test::tables_of({only, other(kSecond)});
  EXPECT_EQ(tables.streams[kOneSecond].peak, 1u);
  EXPECT_EQ(tables.buffered[kOneSecond][k1K].peak, 100u);
  EXPECT_EQ(tables.streams[kOneSecond].mean, 0);
}

TEST(StreamMemory, TimeoutEndsItThatLongAfterItsLatestSegment) {
  const MemoryTables tables = test::tables_of({data(0, 1, 100), flags(kSecond / 2, kAck), other(10 * kSecond)});
  EXPECT_DOUBLE_EQ(tables.streams[kOneSecond].mean, 0.15);
  EXPECT_DOUBLE_EQ(tables.streams[kTwoSeconds].mean, 0.25);
  EXPECT_DOUBLE_EQ(tables.streams[kLongest].mean, 1);
  EXPECT_DOUBLE_EQ(tables.buffered[kTwoSeconds][k1K].mean, 25);
}

TEST(StreamMemory, ExactlyTheTimeoutIsAlive) {
  const MemoryTables alive = test::tables_of({data(0, 1, 600), data(kSecond, 601, 500), other(3 * kSecond)});
  EXPECT_EQ(alive.buffered[kOneSecond][k2K].peak, 1100u);
  const MemoryTables dead = test::tables_of({data(0, 1, 600), data(kSecond + 1, 601, 500), other(3 * kSecond)});
  EXPECT_EQ(dead.buffered[kOneSecond][k2K].peak, 600u);
  EXPECT_EQ(dead.buffered[kTwoSeconds][k2K].peak, 1100u);
}

TEST(StreamMemory, LastPacketEndsWhatItIsTooLateFor) {
  const MemoryTables tables = test::tables_of({data(0, 1, 100), other(4 * kSecond)});
  EXPECT_DOUBLE_EQ(tables.streams[kOneSecond].mean, 0.25);
  EXPECT_DOUBLE_EQ(tables.streams[kFourSeconds].mean, 1);
}

// A packet of 1100 bytes: 1K is full, and what came counts before it leaves.
TEST(StreamMemory, BlockLeavesWhenItIsFullAfterThePacketWasThere) {
  const MemoryTables tables = test::tables_of({data(0, 1, 600), data(kSecond / 2, 601, 500), other(kSecond)});
  EXPECT_EQ(tables.buffered[kLongest][k1K].peak, 1100u);
  EXPECT_DOUBLE_EQ(tables.buffered[kLongest][k1K].mean, 300);
  EXPECT_DOUBLE_EQ(tables.buffered[kLongest][k2K].mean, 850);
}

TEST(StreamMemory, ExactlyTheBlockSizeLeaves) {
  const MemoryTables tables = test::tables_of({data(0, 1, 1024), other(kSecond)});
  EXPECT_EQ(tables.buffered[kLongest][k1K].peak, 1024u);
  EXPECT_EQ(tables.buffered[kLongest][k1K].mean, 0);
  EXPECT_DOUBLE_EQ(tables.buffered[kLongest][k2K].mean, 1024);
}

TEST(StreamMemory, PacketLargerThanAllBlocksLeavesThemAll) {
  const MemoryTables tables = test::tables_of({data(0, 1, 100), data(kSecond / 2, 101, 5'000'000), other(kSecond)});
  EXPECT_EQ(tables.buffered[kLongest][k256K].peak, 5'000'100u);
  EXPECT_DOUBLE_EQ(tables.buffered[kLongest][k256K].mean, 50);
}

TEST(StreamMemory, BothDirectionsShareABuffer) {
  TracePacket reply = data(0, 1, 500);
  reply.reply = true;
  const MemoryTables tables = test::tables_of({data(0, 1, 600), reply, other(kSecond)});
  EXPECT_EQ(tables.buffered[kLongest][k1K].mean, 0);
  EXPECT_EQ(tables.streams[kLongest].peak, 1u);
}

TEST(StreamMemory, GapsAreNotWaitedFor) {
  const MemoryTables tables = test::tables_of({data(0, 1, 600), data(0, 100'000, 500), other(kSecond)});
  EXPECT_EQ(tables.buffered[kLongest][k1K].mean, 0);
}

TEST(StreamMemory, OnlyNewBytesCount) {
  const MemoryTables tables = test::tables_of(
      {data(0, 1, 400), data(0, 1, 400), data(0, 301, 200), data(0, 801, 100), data(0, 401, 500), other(kSecond)});
  EXPECT_EQ(tables.buffered[kLongest][k1K].peak, 900u);
  EXPECT_DOUBLE_EQ(tables.buffered[kLongest][k1K].mean, 900);
}

// Its bytes were seen: what comes once more begins nothing.
TEST(StreamMemory, RetransmissionAfterTheEndBeginsNoStream) {
  const MemoryTables tables = test::tables_of(
      {data(0, 1, 100), flags(0, kFin), data(kSecond, 1, 100), data(kSecond, 51, 60), other(2 * kSecond)});
  EXPECT_DOUBLE_EQ(tables.streams[kLongest].mean, 0.5);
  EXPECT_DOUBLE_EQ(tables.buffered[kLongest][k1K].mean, 5);
}

TEST(StreamMemory, SynWithPayloadBeginsItsDirectionAnew) {
  TracePacket syn = data(kSecond, 0, 100);
  syn.flags = kSyn;
  const MemoryTables tables =
      test::tables_of({data(0, 1, 100), flags(0, kRst), syn, data(kSecond, 51, 60), other(2 * kSecond)});
  EXPECT_EQ(tables.buffered[kLongest][k1K].peak, 110u);
}

TEST(StreamMemory, SequenceNumbersWrap) {
  const MemoryTables tables =
      test::tables_of({data(0, 0xffff'fff0u, 32), data(0, 0x0000'0010u, 16), data(0, 0, 32), other(kSecond)});
  EXPECT_EQ(tables.buffered[kLongest][k1K].peak, 48u);
}

TEST(StreamMemory, TimeThatRunsBackStandsStill) {
  const MemoryTables tables = test::tables_of({other(4 * kSecond), data(kSecond, 1, 100), other(6 * kSecond)}, 1);
  EXPECT_EQ(tables.length_ns, 2u * kSecond);
  EXPECT_DOUBLE_EQ(tables.streams[kLongest].mean, 1);
}

TEST(StreamMemory, TimeoutsThatEndedBeginAgainTogether) {
  // A pause of 3 s ends it under 1 and 2 s; they begin with 500 bytes, the others have 1100.
  const MemoryTables tables =
      test::tables_of({data(0, 1, 600), data(3 * kSecond, 601, 500), data(3 * kSecond, 1101, 600), other(4 * kSecond)});
  EXPECT_EQ(tables.buffered[kOneSecond][k1K].peak, 1100u);
  EXPECT_EQ(tables.buffered[kFourSeconds][k1K].peak, 1100u);
  EXPECT_DOUBLE_EQ(tables.buffered[kOneSecond][k1K].mean, 600 / 4.0);
  EXPECT_DOUBLE_EQ(tables.buffered[kFourSeconds][k1K].mean, (600 * 3 + 600) / 4.0);
  EXPECT_EQ(tables.buffered[kOneSecond][k256K].peak, 1100u);
  EXPECT_EQ(tables.buffered[kFourSeconds][k256K].peak, 1700u);
}

TEST(StreamMemory, DeadConnectionsAreForgottenForWantOfMemory) {
  Trace trace;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    trace.push_back(data(i, 1, 10));
    trace.back().connection = i;
    trace.back().flags = kFin;
  }
  const MemoryTables roomy = test::tables_of(trace, 1000);
  EXPECT_EQ(roomy.forgotten, 0u);
  const MemoryTables tables = test::tables_of(trace, 1000, 1 << 20);
  EXPECT_GT(tables.forgotten, 15'000u);
  EXPECT_EQ(tables.ended_early, 0u);
  EXPECT_EQ(tables.streams, roomy.streams);
}

TEST(StreamMemory, LongestSilentConnectionsEndForWantOfMemory) {
  Trace trace;
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    trace.push_back(data(0, 1, 10));  // at one time, so that no time frees memory
    trace.back().connection = i;
  }
  const MemoryTables tables = test::tables_of(trace, 1000, 1 << 20);
  EXPECT_EQ(tables.forgotten, 0u);
  EXPECT_GT(tables.ended_early, 15'000u);
  EXPECT_LT(tables.streams[kLongest].peak, 5'000u);
  EXPECT_EQ(tables.buffered[kLongest][k1K].peak, 10 * tables.streams[kLongest].peak);
}

TEST(StreamMemory, GapsAreClosedForWantOfMemory) {
  Trace trace;
  for (std::uint32_t i = 0; i < 40'000; ++i) {
    trace.push_back(data(0, i / 100 * 10, 1));
    trace.back().connection = i % 100;
  }
  EXPECT_EQ(test::tables_of(trace, 1000).joined_ranges, 0u);
  EXPECT_GT(test::tables_of(trace, 1000, 1 << 20).joined_ranges, 10'000u);
}

}  // namespace
}  // namespace warpmeter
