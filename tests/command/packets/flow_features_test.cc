// Sums of features, what memory they may take, and packets that are not those that were metered.
#include "command/packets/flow_features.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "analysis/query/flow_of.h"
#include "core/flow_hash.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

TEST(FlowFeatures, SayWhereMemoryEnds) {
  FlowFeatures features({}, nullptr, false, 0, HashSeed(3), 1 << 20);
  RecordStream stream(features);
  const std::string text = test::thrown_text([&] {
    for (std::uint16_t port = 0; port < 5'000; ++port) {
      stream.write(test::flow_between("10.0.0.1", "10.0.0.2", port, 443).forward, nullptr);
    }
    stream.flush();
    features.end();
  });
  EXPECT_NE(text.find("features of more flows are wanted than have room in 1 MiB, half of --memory"), text.npos)
      << text;
}

// Packets that were not metered, and flows that lack some: the captures have changed.
TEST(FlowFeatures, TellOfOtherPackets) {
  const HashSeed seed(3);
  FlowRecord record = test::flow_between("10.0.0.1", "10.0.0.2", 1, 443).forward;
  record.packets = 2;
  record.bytes = 100;
  Segment segment;
  segment.length = 50;
  for (const int packets : {1, 2, 3}) {
    FlowFeatures features({}, nullptr, false, 0, seed, 1 << 20);
    RecordStream stream(features);
    stream.write(record, nullptr);
    stream.flush();
    features.end();
    for (int i = 0; i < packets; ++i) features.add(record.key, hash_flow(record.key, seed).hash, segment);
    EXPECT_EQ(features.end_packets(), packets == 2) << packets;
  }
}

TEST(Moments, AreExactWhereDoublesAreNot) {
  Moments moments;
  EXPECT_FALSE(moments.mean() || moments.deviation() || moments.least() || moments.most());
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 60;
  moments.add(kLarge);
  EXPECT_FALSE(moments.deviation());
  EXPECT_EQ(moments.mean(), static_cast<double>(kLarge));
  moments.add(kLarge + 2);
  EXPECT_DOUBLE_EQ(*moments.deviation(), std::sqrt(2.0));
  Moments same, wide;
  for (int i = 0; i < 1000; ++i) same.add(1'000'000'007);
  EXPECT_EQ(same.deviation(), 0.0);
  wide.add(0);
  wide.add(std::uint64_t{1} << 63);
  EXPECT_DOUBLE_EQ(*wide.deviation(), std::ldexp(std::sqrt(0.5), 63));
  wide.add(same);
  EXPECT_EQ(wide.count(), 1002u);
  EXPECT_EQ(wide.least(), 0u);
}

}  // namespace
}  // namespace warpmeter
