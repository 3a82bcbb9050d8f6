// Streams are put together as the oracle does it: every block, byte, gap and counter, whatever the threads and batches.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "property/in_process.h"
#include "property/reassembled.h"
#include "reference/oracle_segment.h"
#include "reference/stream_oracle.h"

namespace warpmeter {
namespace {

using test::Reassembled;
using test::StreamSetting;

constexpr std::uint64_t kCases = 1000;

// Each case under three of them, another three for the next.
const std::vector<StreamSetting> kSettings = {
    {1, 512}, {2, 7},     {8, 1}, {3, 64, 4}, {1, 1, 1}, {4, 100, 64}, {2, 512, 16, true}, {5, 3, 2, true, 0, 1 << 20},
    {1, 2},   {8, 20, 8},
};

reference::Streams expected_of(const reference::Capture& capture, const reference::StreamOptions& options) {
  reference::StreamOracle oracle(options);
  std::int64_t number = 0;
  for (const reference::Frame& frame : capture.frames) {
    ++number;
    for (const auto& segment : reference::segments_of(frame, options.decapsulate, number)) oracle.take(segment);
  }
  return oracle.finish();
}

void check_counters(const Reassembled& got) {
  std::uint64_t blocks = 0;
  for (const auto& connection : got.streams.connections) blocks += connection.blocks.size();
  EXPECT_EQ(got.counters.blocks, blocks);
  EXPECT_EQ(got.counters.connections, got.streams.connections.size());
}

TEST(Streams, AreThoseOfTheOracle) {
  for (std::uint64_t seed = 1; seed <= test::property_cases(kCases); ++seed) {
    const reference::StreamCase chosen = reference::stream_case(seed);
    const auto file = reference::stream_traffic(chosen.shape);
    const reference::Capture capture = reference::read_capture(file);
    const reference::Streams expected = expected_of(capture, chosen.options);
    for (std::size_t i = 0; i < 3; ++i) {
      const StreamSetting& setting = kSettings[(seed * 3 + i) % kSettings.size()];
      const Reassembled got = test::reassembled(capture, chosen.options, setting);
      ASSERT_TRUE(test::same_streams(expected, got.streams)) << "seed " << seed << ", " << setting;
      check_counters(got);
    }
  }
}

using Direction = std::tuple<int, reference::Endpoint, reference::Endpoint>;
using Bytes = std::map<Direction, std::int64_t>;

// What was captured of payload, but for that of RSTs.
Bytes payload_of(const reference::Capture& capture, bool decapsulate) {
  Bytes bytes;
  for (const reference::Frame& frame : capture.frames) {
    for (const auto& segment : reference::segments_of(frame, decapsulate, 0)) {
      if (segment.rst() || segment.data.empty()) continue;
      bytes[{segment.version, segment.source, segment.destination}] += test::number(segment.data.size());
    }
  }
  return bytes;
}

Bytes accounted_for(const reference::Streams& streams) {
  Bytes bytes;
  for (const auto& connection : streams.connections) {
    for (const int side : {0, 1}) {
      const reference::StreamCounts& counts = connection.ways[side].counts;
      const std::int64_t sum = counts.submitted_bytes + counts.repeated_bytes + counts.late_bytes;
      if (sum > 0) bytes[{connection.version, connection.ends[side], connection.ends[1 - side]}] += sum;
    }
  }
  return bytes;
}

// Parts ascend, and what lies between them is a gap.
void check_order(const reference::StreamConnection& connection) {
  std::int64_t end[2] = {}, submitted[2] = {}, gaps[2] = {};
  for (const auto& block : connection.blocks) {
    for (const auto& part : block.parts) {
      ASSERT_FALSE(part.bytes.empty());
      ASSERT_GE(part.gap, 0);
      ASSERT_EQ(part.offset, end[part.side] + part.gap);
      end[part.side] = part.offset + test::number(part.bytes.size());
      submitted[part.side] += test::number(part.bytes.size());
      gaps[part.side] += part.gap;
    }
  }
  for (const int side : {0, 1}) {
    const reference::StreamWay& way = connection.ways[side];
    ASSERT_EQ(way.counts.submitted_bytes, submitted[side]);
    std::int64_t said = 0;
    for (const auto& [offset, length] : way.gaps) said += length;
    ASSERT_EQ(way.counts.gap_bytes, said);
    ASSERT_GE(said, gaps[side]);  // more: the gap before a FIN
    if (said > gaps[side]) {
      ASSERT_EQ(way.gaps.back(), (std::pair{end[side], said - gaps[side]}));
    }
  }
}

// The oracle's bytes in order at each packet are those of blocks of one byte; the buffers' own size does not matter.
TEST(Streams, AtEachPacketAreBlocksOfOneByte) {
  std::uint64_t delivered = 0;
  for (std::uint64_t seed = 40'001; seed <= 40'000 + test::property_cases(kCases); ++seed) {
    const reference::StreamCase chosen = reference::stream_case(seed);
    const auto file = reference::stream_traffic(chosen.shape);
    const reference::Capture capture = reference::read_capture(file);
    reference::StreamOptions of_one_byte = chosen.options;
    of_one_byte.block_size = 1;
    StreamSetting setting = kSettings[seed % kSettings.size()];
    setting.each_packet = true;
    const Reassembled got = test::reassembled(capture, chosen.options, setting);
    ASSERT_TRUE(test::same_streams(expected_of(capture, of_one_byte), got.streams))
        << "seed " << seed << ", " << setting;
    check_counters(got);
    for (const auto& connection : got.streams.connections) {
      check_order(connection);
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << ", " << setting;
      delivered += static_cast<std::uint64_t>(
          std::ranges::count(connection.blocks, reference::Reason::size, &reference::StreamBlock::reason));
    }
  }
  EXPECT_GT(delivered, 0u);
}

// With little memory blocks leave early, and connections end: the same ones whatever the threads.
TEST(Streams, WithoutMemoryLoseNoByte) {
  std::uint64_t early_blocks = 0, early_connections = 0;
  for (std::uint64_t seed = 20'001; seed <= 20'000 + test::property_cases(kCases); ++seed) {
    const reference::StreamCase chosen = reference::stream_case(seed);
    const auto file = reference::stream_traffic(chosen.shape);
    const reference::Capture capture = reference::read_capture(file);
    StreamSetting setting = kSettings[seed % kSettings.size()];
    setting.memory = std::uint64_t{64} << seed % 14;
    const Reassembled got = test::reassembled(capture, chosen.options, setting);
    ASSERT_EQ(payload_of(capture, chosen.options.decapsulate), accounted_for(got.streams))
        << "seed " << seed << ", " << setting;
    for (const auto& connection : got.streams.connections) {
      check_order(connection);
      if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed << ", " << setting;
    }
    check_counters(got);
    StreamSetting other = kSettings[(seed + 1 + seed % 7) % kSettings.size()];
    other.memory = setting.memory;
    other.spans = setting.spans;  // which take another amount of memory
    ASSERT_TRUE(test::same_streams(got.streams, test::reassembled(capture, chosen.options, other).streams))
        << "seed " << seed << ", " << setting << " and " << other;
    early_blocks += got.counters.early_blocks;
    early_connections += got.counters.early_connections;
  }
  EXPECT_GT(early_blocks, 0u);
  EXPECT_GT(early_connections, 0u);
}

}  // namespace
}  // namespace warpmeter
