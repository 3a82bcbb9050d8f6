// What frames without IP are called, and that counting them is exact.
#include <gtest/gtest.h>

#include <string>

#include "packet/decode/decoder.h"
#include "packet/decode/link_layer.h"
#include "packet/decode/unread_words.h"
#include "support/held_frame.h"
#include "support/packets.h"
#include "warpmeter/link_type.h"

namespace warpmeter::test {
namespace {

std::string called(const Bytes& frame, LinkType link = kLinkEthernet) {
  const IpPlace place = find_ip(HeldFrame(frame, link).frame());
  EXPECT_EQ(place.version, 0);
  EXPECT_EQ(place.why, Ignored::not_ip);
  return name_of(place.what);
}

TEST(NotIp, EthernetByItsEtherTypeBehindAllTags) {
  EXPECT_EQ(called(ethernet(0x0806, Bytes(28))), "ARP");
  EXPECT_EQ(called(ethernet(0x88cc, Bytes(28))), "LLDP");
  EXPECT_EQ(called(ethernet(0x88b5, Bytes(28))), "EtherType 0x88b5");
  EXPECT_EQ(called(ethernet(0x8100, vlan_tag(5, 0x8100) + vlan_tag(6, 0x0806) + Bytes(28))), "ARP");
  EXPECT_EQ(called(ethernet(0x8864, Bytes(6) + Bytes{0xc0, 0x21} + Bytes(9))), "PPP 0xc021 (LCP)");
}

TEST(NotIp, Llc) {
  EXPECT_EQ(called(ethernet(38, Bytes{0x42, 0x42, 3} + Bytes(35))), "STP");
  EXPECT_EQ(called(ethernet(38, Bytes{0xff, 0xff} + Bytes(35))), "IPX (802.3 raw)");
  EXPECT_EQ(called(ethernet(38, Bytes{0x30, 0x31, 3} + Bytes(35))), "LLC 0x30");
}

TEST(NotIp, OtherLinks) {
  EXPECT_EQ(called({0x50, 0, 0, 0}, kLinkRaw), "raw IP version 5");
  EXPECT_EQ(called({0, 0, 0, 23, 1, 2}, kLinkNull), "address family 23");
  EXPECT_EQ(called({0x7f, 0x7f, 0x7f, 0x7f, 1, 2}, kLinkNull), "address family unknown");
  EXPECT_EQ(called({0xff, 0x03, 0x80, 0x57, 1, 1}, kLinkPpp), "PPP 0x8057 (IPv6CP)");
  EXPECT_EQ(called({0x18, 0x41, 0x03, 0x08, 1, 1}, kLinkFrameRelay), "NLPID 0x08 (Q.933)");
  EXPECT_EQ(called(Bytes{0x80, 0} + Bytes(30), kLinkWlan), "802.11 management");
  EXPECT_EQ(called(Bytes{0xd4, 0} + Bytes(8), kLinkWlan), "802.11 control");
  EXPECT_EQ(called(Bytes{0x08, 0x40} + Bytes(40), kLinkWlan), "802.11 encrypted data");
  EXPECT_EQ(called(Bytes{0x48, 0} + Bytes(22), kLinkWlan), "802.11 data without a body");
  EXPECT_EQ(called({1, 9, 0, 0}, kLinkNflog), "link type 239");
}

// An A-MSDU of which the second MSDU is cut right behind its header.
TEST(NotIp, MsdusAreNamedAsFramesOf802_3) {
  const Bytes first = Bytes(12) + Bytes{0, 12, 0xaa, 0xaa, 3, 0, 0, 0, 8, 6, 1, 2, 3, 4} + Bytes(2);
  const Bytes second = Bytes(12) + Bytes{0, 60, 0xaa, 0xaa};
  const HeldFrame held(Bytes{0x88, 1} + Bytes(22) + Bytes{0x80, 0} + first + second, kLinkWlan);
  const IpPlace place = find_ip(held.frame());
  ASSERT_TRUE(place.several);
  std::vector<std::string> names;
  each_packet(held.frame(), place, [&](const Frame&, const IpPlace& at) { names.push_back(name_of(at.what)); });
  EXPECT_EQ(names, (std::vector<std::string>{"ARP", "802.3 without LLC"}));
}

TEST(NotIp, IsCountedByNumberWhateverTheOrder) {
  SparseCounts all, halves[2];
  for (std::uint32_t i = 0; i < 70'000; ++i) {
    const std::uint32_t number = i * 7919 % 65'536;
    all.add(number);
    halves[i % 3 == 0].add(number);
  }
  halves[1].add(halves[0]);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> of_all, of_halves;
  all.for_each([&](std::uint32_t number, std::uint64_t count) { of_all.emplace_back(number, count); });
  halves[1].for_each([&](std::uint32_t number, std::uint64_t count) { of_halves.emplace_back(number, count); });
  EXPECT_EQ(of_all, of_halves);
  EXPECT_EQ(of_all.size(), 65'536u);
  EXPECT_EQ(all.total(), 70'000u);
}

TEST(NotIp, TheMostFrequentAreNamedAndTheRestIsAddedUp) {
  DecodeCounters counters;
  for (std::uint32_t type = 0x600; type < 0x10000; ++type) {
    counters.not_ip.add(NotIp{ProtocolSpace::ether_type, static_cast<std::uint16_t>(type)}.as_number(), 2);
  }
  counters.not_ip.add(NotIp{ProtocolSpace::ether_type, 0x88cc}.as_number(), 5);
  counters.not_ip.add(NotIp{ProtocolSpace::snap_cisco, 0x2000}.as_number(), 3);  // of one name with an EtherType
  const NamedCounts few = not_ip_names(counters, 3);
  ASSERT_EQ(few.names.size(), 3u);
  EXPECT_EQ(few.names[0], (std::pair<std::string, std::uint64_t>("LLDP", 7)));
  EXPECT_EQ(few.names[1], (std::pair<std::string, std::uint64_t>("CDP", 5)));
  EXPECT_EQ(few.total, (0x10000u - 0x600) * 2 + 8);
  EXPECT_EQ(few.others, few.total - 7 - 5 - few.names[2].second);
  EXPECT_EQ(text_of({{{"ARP", 3}, {"STP", 2}}, 9, 4}), "9 (ARP 3, STP 2, others 4)");
}

TEST(NotIp, DecodingCountsEachFrameOnce) {
  const HeldFrame arp(ethernet(0x0806, Bytes(28))), lldp(ethernet(0x88cc, Bytes(28)));
  FrameBlock block;
  for (int i = 0; i < 5; ++i) block.frames.push_back(i % 2 ? arp.frame() : lldp.frame());
  SegmentBatch batch(5);
  DecodeCounters counters;
  Decoder({}, 1).decode(block, batch, counters);
  EXPECT_EQ(text_of(not_ip_names(counters, 9)), "5 (LLDP 3, ARP 2)");
}

}  // namespace
}  // namespace warpmeter::test
