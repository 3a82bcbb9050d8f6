// Random traffic through the memory tables and through their oracle: all peaks, and means to the last bits of a double.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "support/memory_oracle.h"

namespace warpmeter {
namespace {

using test::kSecond;
using test::TracePacket;

struct RandomShape {
  std::int64_t longest_pause_ns;
  std::uint32_t connections, longest_payload;
  unsigned ends;  // one of so many segments is a FIN or RST
};

TracePacket random_packet(std::mt19937_64& random, const RandomShape& shape, std::int64_t& time) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  time += below(4) ? static_cast<std::int64_t>(below(1000)) : static_cast<std::int64_t>(below(shape.longest_pause_ns));
  if (below(50) == 0) time += static_cast<std::int64_t>(below(300) * kSecond / 10);
  TracePacket packet{.time_ns = time};
  if (below(20) == 0) packet.time_ns -= static_cast<std::int64_t>(below(5 * kSecond));  // out of order
  packet.tcp = below(10) != 0;
  packet.connection = static_cast<std::uint32_t>(below(shape.connections));
  packet.reply = below(2);
  packet.length = static_cast<std::uint32_t>(40 + below(2000));
  packet.payload = below(3) ? static_cast<std::uint32_t>(below(shape.longest_payload)) : 0;
  packet.sequence = static_cast<std::uint32_t>(0xffff'c000u + below(40 * shape.longest_payload));
  if (below(100) == 0) packet.sequence = static_cast<std::uint32_t>(random());
  if (below(20) == 0) packet.flags |= kSyn;
  if (below(shape.ends) == 0) packet.flags |= below(2) ? kFin : kRst;
  return packet;
}

void expect_equal(const OverTime& got, const reference::Integrated& wanted, double seconds, const std::string& what) {
  EXPECT_EQ(got.peak, static_cast<std::uint64_t>(wanted.peak)) << what;
  EXPECT_DOUBLE_EQ(got.mean, test::mean_of(wanted, seconds)) << what;
}

void compare(const std::vector<TracePacket>& trace, std::size_t in_batch) {
  const MemoryTables tables = test::tables_of(trace, in_batch);
  const test::MemoryOracle oracle(trace);
  for (std::size_t timeout = 0; timeout < kTimeouts; ++timeout) {
    for (std::size_t block = 0; block < kBlockSizes; ++block) {
      const reference::MemoryCell cell = oracle.cell(timeout, block);
      const std::string what = "timeout " + std::to_string(timeout) + ", block " + std::to_string(block);
      expect_equal(tables.streams[timeout], cell.streams(), tables.seconds(), what);
      expect_equal(tables.buffered[timeout][block], cell.buffered(), tables.seconds(), what);
      if (testing::Test::HasFailure()) return;
    }
  }
}

void compare_random(const RandomShape& shape, unsigned seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::vector<TracePacket> trace;
  std::int64_t time = 1'600'000'000 * kSecond;
  for (std::size_t i = 0; i < count; ++i) trace.push_back(random_packet(random, shape, time));
  compare(trace, 1 + random() % 100);
}

TEST(StreamMemoryProperty, FewConnectionsThatPause) {
  for (unsigned seed = 0; seed < 40 && !HasFailure(); ++seed) compare_random({20 * kSecond, 5, 3000, 30}, seed, 400);
}
TEST(StreamMemoryProperty, ManyConnectionsThatEnd) {
  for (unsigned seed = 100; seed < 110 && !HasFailure(); ++seed) compare_random({kSecond, 200, 1500, 5}, seed, 1500);
}
TEST(StreamMemoryProperty, LargePackets) {
  for (unsigned seed = 200; seed < 220 && !HasFailure(); ++seed) {
    compare_random({5 * kSecond, 10, 400'000, 50}, seed, 400);
  }
}

}  // namespace
}  // namespace warpmeter
