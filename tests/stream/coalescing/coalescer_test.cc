// The rules of docs/coalesce.md, one by one; all of them at once: coalescer_property_test.cc.
#include "stream/coalescing/coalescer.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/byte_order.h"
#include "support/coalescer_talk.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::bytes_of;
using test::Talk;

TEST(Coalescer, JoinsWhatFollows) {
  Talk talk;
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_TRUE(talk.take({.sequence = 1000 + 100 * i, .acknowledgement = i}));
  EXPECT_EQ(talk.left.size(), 0u);
  EXPECT_EQ(talk.coalescer().first_open_place(), 3u);
  talk.end();
  ASSERT_EQ(talk.left.size(), 1u);
  EXPECT_EQ(talk.left[0].place, 3u);
  EXPECT_EQ(talk.left[0].joined, 3u);
  const Bytes packet = bytes_of(talk.left[0]);
  ASSERT_EQ(packet.size(), 14u + 20 + 20 + 300);
  EXPECT_EQ(load_be16(packet.data() + 14 + 2), 340);
  EXPECT_EQ(load_be32(packet.data() + 34 + 4), 1000u);
  EXPECT_EQ(load_be32(packet.data() + 34 + 8), 2u);
  EXPECT_FALSE(talk.coalescer().first_open_place().has_value());
  EXPECT_EQ(talk.coalescer().counters().saved_bytes, 2u * 54);
}

// Acknowledgement and window are of the packet that came last, all else of the first in sequence.
TEST(Coalescer, PutsInOrderWhatCameOutOfIt) {
  Talk talk;
  EXPECT_TRUE(talk.take({.sequence = 1000, .acknowledgement = 1}));
  EXPECT_TRUE(talk.take({.sequence = 1200, .acknowledgement = 3}));
  EXPECT_TRUE(talk.take({.sequence = 1300, .acknowledgement = 4}));
  EXPECT_TRUE(talk.take({.sequence = 1100, .acknowledgement = 2, .window = 7}));
  talk.end();
  ASSERT_EQ(talk.left.size(), 1u);
  const Bytes packet = bytes_of(talk.left[0]);
  EXPECT_EQ(load_be32(packet.data() + 34 + 4), 1000u);
  EXPECT_EQ(load_be32(packet.data() + 34 + 8), 2u);
  EXPECT_EQ(load_be16(packet.data() + 34 + 14), 7u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(packet[54 + 100 * i], static_cast<std::uint8_t>(1000 + 100 * i));
}

TEST(Coalescer, CutsRunsAtHoles) {
  Talk talk;
  for (const std::uint32_t sequence : {1000u, 1100u, 1300u, 1500u, 1600u}) talk.take({.sequence = sequence});
  talk.end();
  ASSERT_EQ(talk.left.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(talk.left[i].place, 5u);
    EXPECT_EQ(talk.left[i].order, i);
  }
  EXPECT_EQ(talk.left[1].joined, 1u);
}

TEST(Coalescer, PassesWhatIsRepeated) {
  for (const std::uint32_t again : {1000u, 1050u, 1250u, 1399u}) {
    Talk talk;
    talk.take({.sequence = 1000});
    talk.take({.sequence = 1300});
    EXPECT_FALSE(talk.take({.sequence = again})) << again;
    EXPECT_EQ(talk.flushes(FlushReason::repeated), 1u);
    EXPECT_EQ(talk.left.size(), 2u);
  }
}

TEST(Coalescer, BeginsAnewFarAhead) {
  Talk talk;
  talk.take({.sequence = 1000});
  EXPECT_TRUE(talk.take({.sequence = 1100 + Coalescer::kMostAhead}));
  EXPECT_FALSE(talk.take({.sequence = 1101 + Coalescer::kMostAhead}));
  EXPECT_TRUE(talk.take({.sequence = 500}));
}

TEST(Coalescer, WrapsAround) {
  Talk talk;
  const std::uint32_t first = 0xffffff9c;  // 100 before the end
  for (const std::uint32_t ahead : {0u, 200u, 100u}) EXPECT_TRUE(talk.take({.sequence = first + ahead}));
  talk.end();
  ASSERT_EQ(talk.left.size(), 1u);
  EXPECT_EQ(talk.left[0].joined, 3u);
}

TEST(Coalescer, TellsWhyListsLeave) {
  Talk talk({.threshold = 1'000});
  talk.take({.sequence = 0, .payload = 999});
  EXPECT_EQ(talk.flushes(), 0u);
  talk.take({.sequence = 999, .payload = 1});
  EXPECT_EQ(talk.flushes(FlushReason::threshold), 1u);
  talk.take({.sequence = 1000, .flags = 0x18});
  EXPECT_EQ(talk.flushes(FlushReason::push), 1u);
  talk.take({.sequence = 1100});
  EXPECT_FALSE(talk.take({.sequence = 1200, .payload = 0}));
  EXPECT_EQ(talk.flushes(FlushReason::passing_packet), 1u);
  talk.take({.sequence = 1200});
  talk.take({.sequence = 1300, .ttl = 63});
  EXPECT_EQ(talk.flushes(FlushReason::header), 1u);
  talk.take({.sequence = 1400, .after_ns = 1'000'000'000, .ttl = 63});
  EXPECT_EQ(talk.flushes(FlushReason::timeout), 1u);
  talk.end();
  EXPECT_EQ(talk.flushes(FlushReason::end), 1u);
}

// A list of it would leave at once, too.
TEST(Coalescer, LetsAPacketGoThatWaitsForNothing) {
  Talk talk;
  EXPECT_TRUE(talk.take({.sequence = 1000, .flags = 0x18}));
  EXPECT_EQ(talk.alone, 1u);
  EXPECT_EQ(talk.flushes(FlushReason::push), 1u);
  EXPECT_FALSE(talk.coalescer().first_open_place().has_value());
  talk.take({.sequence = 1100});
  talk.take({.sequence = 1200, .flags = 0x18});  // it is joined to what waits
  EXPECT_EQ(talk.alone, 1u);
  ASSERT_EQ(talk.left.size(), 1u);
  EXPECT_EQ(talk.left[0].joined, 2u);
  EXPECT_TRUE(talk.take({.sequence = 1400, .flags = 0x18}));  // ahead of its turn
  EXPECT_EQ(talk.alone, 2u);
  EXPECT_FALSE(talk.take({.sequence = 1300}));  // late
  EXPECT_TRUE(talk.take({.sequence = 1500}));
  EXPECT_EQ(talk.coalescer().counters().taken, 5u);
}

TEST(Coalescer, IsNeverLongerThanAPacketMayBe) {
  Talk talk({.push = false});
  for (std::uint32_t i = 0; i < 3; ++i) talk.take({.sequence = 30'000 * i, .payload = 30'000});
  EXPECT_EQ(talk.flushes(FlushReason::full), 1u);
  EXPECT_EQ(talk.left.size(), 1u);
  EXPECT_EQ(talk.left[0].joined, 2u);
}

// Of IPv6, whose header has another length.
TEST(Coalescer, SetsTheLengthOfIp6) {
  Talk talk;
  for (std::uint32_t i = 0; i < 2; ++i) talk.take({.sequence = 100 * i, .ip6 = true});
  talk.end();
  ASSERT_EQ(talk.left.size(), 1u);
  const Bytes packet = bytes_of(talk.left[0]);
  EXPECT_EQ(load_be16(packet.data() + 14 + 4), 20 + 200);
}

// A list waits for so many bytes of the trace and no more, whether its direction goes on or not.
TEST(Coalescer, WaitsForAWindowOfTheTrace) {
  for (const bool asked : {false, true}) {
    Talk talk({.window = 500});
    talk.take({.sequence = 1000});
    talk.coalescer().go_on(500, talk.left);
    EXPECT_EQ(talk.flushes(), 0u);
    if (asked) talk.coalescer().go_on(501, talk.left);
    else talk.coalescer().end(501, talk.left);
    EXPECT_EQ(talk.flushes(FlushReason::memory), 1u);
  }
}

// Without bytes the counts are the same.
TEST(Coalescer, CountsWithoutBytes) {
  Talk talk({.keeps_bytes = false});
  for (std::uint32_t i = 0; i < 3; ++i) talk.take({.sequence = 1000 + 100 * i});
  talk.end();
  EXPECT_EQ(talk.coalescer().counters().joined, 3u);
  EXPECT_EQ(talk.left[0].bytes.size(), 54u);
}

}  // namespace
}  // namespace warpmeter
