// Which packets a selection has, by key and number; that it holds to its memory.
#include "command/packets/flow_selection.h"

#include <gtest/gtest.h>

#include <map>

#include "core/flow_hash.h"
#include "support/keys.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

constexpr std::uint64_t kRoom = 1 << 26;

FlowKey key_number(std::uint32_t number) {
  FlowKey key;
  key.version = 4;
  for (int i = 0; i < 4; ++i) key.source[i] = static_cast<std::uint8_t>(number >> 8 * i);
  key.protocol = kProtocolUdp;
  return key;
}

TEST(FlowSelection, HasWhatWasAddedAndNothingElse) {
  const HashSeed seed(7);
  FlowSelection selection(PacketOrder::number, seed, kRoom);
  const auto of = [&](std::uint32_t number) {
    const FlowKey key = key_number(number);
    return selection.of(key, hash_flow(key, seed).hash);
  };
  EXPECT_TRUE(of(1).empty());
  constexpr std::uint32_t kKeys = 20'000;
  for (std::uint32_t i = 0; i < kKeys; ++i) {
    const std::vector<PacketRange> ranges(1 + i % 3, {i, i + 5});
    selection.add(key_number(2 * i), ranges);
  }
  for (std::uint32_t i = 0; i < kKeys; ++i) {
    ASSERT_EQ(of(2 * i).size(), 1 + i % 3) << i;
    EXPECT_EQ(of(2 * i).back(), (PacketRange{i, i + 5}));
    EXPECT_TRUE(of(2 * i + 1).empty());
  }
}

TEST(FlowSelection, RangesHoldTheirEnds) {
  const PacketRange range{5, 9};
  EXPECT_TRUE(range.holds(5) && range.holds(9));
  EXPECT_FALSE(range.holds(4) || range.holds(10) || range.holds_all());
  EXPECT_TRUE(PacketRange().holds_all());
}

TEST(FlowSelection, SaysWhereMemoryEnds) {
  FlowSelection selection(PacketOrder::number, HashSeed(7), 1 << 16);
  const PacketRange range;
  const std::string text = test::thrown_text([&] {
    for (std::uint32_t i = 0; i < 10'000; ++i) selection.add(key_number(i), {&range, 1});
  });
  EXPECT_NE(text.find("more flows are selected than have room in 64 KiB"), text.npos) << text;
}

}  // namespace
}  // namespace warpmeter
