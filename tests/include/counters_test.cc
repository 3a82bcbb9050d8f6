// Adding counters: every field takes part.
#include "core/counters.h"

#include <gtest/gtest.h>

namespace warpmeter::test {
namespace {

TEST(Counters, DecodeCountersAddFieldByField) {
  SparseCounts arp, lldp;
  arp.add(0x0806, 9);
  lldp.add(0x88cc, 90);
  DecodeCounters sum{1, 2, {1, 2, 3, 4, 5, 6, 7, 8}, 2, 3, 4, 5, 6, 7, 8, arp, lldp};
  sum.add({10, 20, {10, 20, 30, 40, 50, 60, 70, 80}, 20, 30, 40, 50, 60, 70, 80, lldp, arp});
  EXPECT_EQ(sum.frames, 11u);
  EXPECT_EQ(sum.metered, 22u);
  for (int i = 0; i < kIgnoredReasons; ++i) EXPECT_EQ(sum.ignored[i], 11u * (i + 1)) << kIgnoredNames[i];
  EXPECT_EQ(sum.sharing_frame, 22u);
  EXPECT_EQ(sum.decapsulated, 33u);
  EXPECT_EQ(sum.short_transport_headers, 44u);
  EXPECT_EQ(sum.malformed_segments, 55u);
  EXPECT_EQ(sum.uncaptured_tcp_headers, 66u);
  EXPECT_EQ(sum.cut_tcp_headers, 77u);
  EXPECT_EQ(sum.ignored_bytes, 88u);
  EXPECT_EQ(sum.not_ip.total(), 99u);
  EXPECT_EQ(sum.unopened_tunnels.total(), 99u);
}

TEST(Counters, MeterCountersAddFieldByField) {
  MeterCounters sum{1, 2, 3, 4, 5, 6, 7, 8};
  sum.add({10, 20, 30, 40, 50, 60, 70, 80});
  EXPECT_EQ(sum.duplicate_packets, 11u);
  EXPECT_EQ(sum.expired, 22u);
  EXPECT_EQ(sum.evicted, 33u);
  EXPECT_EQ(sum.left_sample, 44u);
  EXPECT_EQ(sum.dropped_holes, 55u);
  EXPECT_EQ(sum.jumps, 66u);
  EXPECT_EQ(sum.peak_live_flows, 77u);
  EXPECT_EQ(sum.on_cpu, 88u);
}

TEST(Counters, EveryReasonHasItsName) {
  EXPECT_STREQ(kIgnoredNames[static_cast<int>(Ignored::cut_short)], "cut short");
  EXPECT_STREQ(kIgnoredNames[static_cast<int>(Ignored::not_ip)], "not IP");
  EXPECT_STREQ(kIgnoredNames[static_cast<int>(Ignored::bad_ip_version)], "bad IP version");
  EXPECT_STREQ(kIgnoredNames[static_cast<int>(Ignored::bad_ip_header_length)], "bad IP header length");
  EXPECT_STREQ(kIgnoredNames[static_cast<int>(Ignored::bad_ip_length)], "bad IP length");
  EXPECT_STREQ(kIgnoredNames[static_cast<int>(Ignored::unknown_link_type)], "unknown link type");
  EXPECT_STREQ(kIgnoredNames[static_cast<int>(Ignored::filtered_out)], "filtered out");
  EXPECT_STREQ(kIgnoredNames[static_cast<int>(Ignored::not_sampled)], "not sampled");
}

}  // namespace
}  // namespace warpmeter::test
