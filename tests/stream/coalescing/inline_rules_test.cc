// The rules of packets that are forwarded as they come: docs/coalesce.md, "Inline".
#include <gtest/gtest.h>

#include <vector>

#include "core/byte_order.h"
#include "stream/coalescing/coalescer.h"
#include "stream/coalescing/internet_checksum.h"
#include "stream/coalescing/super_packet.h"
#include "support/coalescer_talk.h"

namespace warpmeter::test {
namespace {

const CoalescerOptions kInline{.even = true, .sorts = false, .times_out = false};

std::vector<std::uint32_t> joined_of(const Talk& talk) {
  std::vector<std::uint32_t> joined;
  for (const CoalescedPacket& packet : talk.left) joined.push_back(packet.joined);
  return joined;
}

using Counts = std::vector<std::uint32_t>;

TEST(InlineRules, ShorterPacketEndsSuperPacket) {
  Talk talk(kInline);
  talk.take({.sequence = 1000, .payload = 100});
  talk.take({.sequence = 1100, .payload = 100});
  EXPECT_TRUE(talk.left.empty());
  talk.take({.sequence = 1200, .payload = 40});
  EXPECT_EQ(joined_of(talk), Counts{3});
  EXPECT_EQ(talk.flushes(FlushReason::size), 1u);
  EXPECT_EQ(talk.left[0].segment, 100u);
}

TEST(InlineRules, LongerPacketBeginsNextOne) {
  Talk talk(kInline);
  talk.take({.sequence = 1000, .payload = 100});
  talk.take({.sequence = 1100, .payload = 101});
  EXPECT_EQ(joined_of(talk), Counts{1});
  talk.take({.sequence = 1201, .payload = 101});
  talk.end();
  EXPECT_EQ(joined_of(talk), (Counts{1, 2}));
}

TEST(InlineRules, PacketAheadBeginsNextOneAtOnce) {
  Talk talk(kInline);
  talk.take({.sequence = 1000});
  talk.take({.sequence = 1100});
  EXPECT_TRUE(talk.take({.sequence = 1300}));  // 1200 is missing
  EXPECT_EQ(joined_of(talk), Counts{2});
  EXPECT_EQ(talk.flushes(FlushReason::out_of_order), 1u);
  EXPECT_TRUE(talk.take({.sequence = 1400}));
  EXPECT_FALSE(talk.take({.sequence = 1200}));  // late: it passes, behind what was there before it
  EXPECT_EQ(joined_of(talk), (Counts{2, 2}));
  EXPECT_TRUE(talk.take({.sequence = 1500}));
}

TEST(InlineRules, SortedRunsAreCutWhereSizesDiffer) {
  CoalescerOptions options = kInline;
  options.sorts = true;
  Talk talk(options);
  talk.take({.sequence = 1000, .payload = 100});
  talk.take({.sequence = 1200, .payload = 150});  // ahead: a run of its own
  EXPECT_TRUE(talk.left.empty());
  talk.take({.sequence = 1100, .payload = 100});  // fills the hole, but the next is longer
  talk.end();
  EXPECT_EQ(joined_of(talk), (Counts{2, 1}));

  Talk even(options);
  even.take({.sequence = 1000, .payload = 100});
  even.take({.sequence = 1200, .payload = 100});
  even.take({.sequence = 1100, .payload = 100});
  even.end();
  EXPECT_EQ(joined_of(even), Counts{3});
}

TEST(InlineRules, RepeatIsDroppedOnceAndPassesThen) {
  CoalescerOptions options = kInline;
  options.drops_repeats = true;
  Talk talk(options);
  talk.take({.sequence = 1000});
  talk.take({.sequence = 1100});
  EXPECT_TRUE(talk.take({.sequence = 1000}));  // while it waits
  EXPECT_TRUE(talk.left.empty());
  EXPECT_EQ(talk.coalescer().counters().dropped, 1u);
  EXPECT_TRUE(talk.take({.sequence = 1100}));
  EXPECT_FALSE(talk.take({.sequence = 1000}));  // again: the host may need it
  EXPECT_FALSE(talk.take({.sequence = 1100}));
  EXPECT_EQ(talk.coalescer().counters().dropped, 2u);
  EXPECT_EQ(talk.coalescer().counters().repeated, 4u);
}

TEST(InlineRules, WhatMayFillAHoleIsNotDropped) {
  CoalescerOptions options = kInline;
  options.drops_repeats = true;
  Talk talk(options);
  talk.take({.sequence = 1000});
  talk.take({.sequence = 1200});
  EXPECT_FALSE(talk.take({.sequence = 1100}));  // never seen
  EXPECT_FALSE(talk.take({.sequence = 1000}));  // before the hole: nothing is known of it any more
  EXPECT_TRUE(talk.take({.sequence = 1200}));
  EXPECT_FALSE(talk.take({.sequence = 1250, .payload = 100}));  // half of it is new
  EXPECT_EQ(talk.coalescer().counters().dropped, 1u);
}

TEST(InlineRules, RoundEndsWhatWaits) {
  Talk talk(kInline);
  for (std::uint32_t i = 0; i < 3; ++i) talk.take({.sequence = 1000 + 100 * i, .after_ns = 3'600'000'000'000});
  EXPECT_TRUE(talk.left.empty());  // no timeout
  talk.coalescer().end_round(talk.left);
  EXPECT_EQ(joined_of(talk), Counts{3});
  EXPECT_EQ(talk.flushes(FlushReason::round), 1u);
}

TEST(InlineRules, TimeoutIsTenTimesTheAverageAndNoLongerThanTheLongest) {
  CoalescerOptions options = kInline;
  options.times_out = true;
  options.longest_wait_ns = 20 * 1'000'000;
  Talk talk(options);
  talk.take({.sequence = 1000});
  talk.take({.sequence = 1100, .after_ns = 2'000});
  const std::int64_t last = 1'000'000'000 + kMicrosecond + 2'000;
  EXPECT_EQ(talk.coalescer().flush_late(last, talk.left), last + 10 * 2'000);
  EXPECT_TRUE(talk.left.empty());
  EXPECT_EQ(talk.coalescer().flush_late(last + 10 * 2'000 + 1, talk.left), std::nullopt);
  EXPECT_EQ(joined_of(talk), Counts{2});

  Talk slow(options);
  slow.take({.sequence = 1000});
  slow.take({.sequence = 1100, .after_ns = 9'000'000});
  const std::int64_t then = 1'000'000'000 + kMicrosecond + 9'000'000;
  EXPECT_EQ(slow.coalescer().flush_late(then, slow.left), then + options.longest_wait_ns);
  slow.coalescer().flush_late(then - 1'000'000'000, slow.left);  // the clock was put back
  EXPECT_EQ(joined_of(slow), Counts{2});
}

// What the kernel does with it: the sum over all from TCP on, with what stands there, is the checksum.
void expect_gso_form(bool ip6) {
  Talk talk(kInline);
  talk.take({.sequence = 1000, .ip6 = ip6});
  talk.take({.sequence = 1100, .ip6 = ip6});
  talk.take({.sequence = 1200, .payload = 33, .ip6 = ip6});
  ASSERT_EQ(joined_of(talk), Counts{3});
  const Bytes whole = bytes_of(talk.left[0]);  // with its checksum
  const GsoForm form = to_gso_form(talk.left[0]);
  const std::uint16_t ip_header = ip6 ? 40 : 20;
  EXPECT_EQ(form.is_ip6, ip6);
  EXPECT_EQ(form.segment, 100);
  EXPECT_EQ(form.checksum_start, 14 + ip_header);
  EXPECT_EQ(form.headers, 14 + ip_header + 20);
  Bytes given = bytes_of(talk.left[0]);
  ASSERT_EQ(given.size(), form.headers + 233u);
  std::uint8_t* const tcp = given.data() + form.checksum_start;
  const std::uint16_t sum = internet_sum(tcp, given.size() - form.checksum_start);
  store_be16(tcp + form.checksum_offset, static_cast<std::uint16_t>(~sum));
  EXPECT_EQ(given, whole);
}

TEST(InlineRules, SuperPacketAsItIsCutAgain) {
  expect_gso_form(false);
  expect_gso_form(true);
}

}  // namespace
}  // namespace warpmeter::test
