// Capture filters: what they match on each link type, and what is no filter.
#include "packet/decode/packet_filter.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/held_frame.h"
#include "support/packets.h"
#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

const Bytes kTcp = ip4({}, tcp({}));
const Bytes kUdp = ip4({17}, udp(53, 53));

class PacketFilterTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!PacketFilter::available()) GTEST_SKIP() << "a build with libpcap (package libpcap-dev) runs this";
  }

  static bool matches(const std::string& filter, const Bytes& bytes, std::uint16_t link) {
    return PacketFilter(filter).matches(HeldFrame(bytes, link).frame());
  }
};

TEST_F(PacketFilterTest, SameFilterOnEveryLinkType) {
  const Bytes cooked = ByteWriter().u16(0).u16(1).u16(6).zeros(8).u16(0x0800).data();
  const Bytes cooked2 = ByteWriter().u16(0x0800).u16(0).u32(2).u16(1).u8(0).u8(6).zeros(8).data();
  const std::pair<std::uint16_t, Bytes> links[] = {{kLinkEthernet, ethernet(0x0800, {})},
                                                   {kLinkCooked, cooked},
                                                   {kLinkCooked2, cooked2},
                                                   {kLinkRaw, {}},
                                                   {kLinkRawBsd, {}},
                                                   {kLinkRawOpenBsd, {}},
                                                   {kLinkIpv4, {}}};
  for (const auto& [link, header] : links) {
    EXPECT_TRUE(matches("tcp port 443", header + kTcp, link)) << link;
    EXPECT_FALSE(matches("tcp port 443", header + kUdp, link)) << link;
    EXPECT_TRUE(matches("host 10.0.0.2 and udp", header + kUdp, link)) << link;
  }
}

// As it was on the wire: lengths, and bytes from its beginning.
TEST_F(PacketFilterTest, SeesTheWholeFrame) {
  const std::pair<std::uint16_t, Bytes> links[] = {{kLinkNull, {2, 0, 0, 0}},
                                                   {kLinkNull, {0, 0, 0, 2}},
                                                   {kLinkLoop, {0, 0, 0, 2}},
                                                   {kLinkPpp, {0xff, 3, 0, 0x21}},
                                                   {kLinkCiscoHdlc, {0x0f, 0, 8, 0}},
                                                   {kLinkIpnet, Bytes{1, 2} + Bytes(22)},
                                                   {kLinkEthernet, ethernet(0x0800, {})}};
  for (const auto& [link, header] : links) {
    const Bytes frame = header + kTcp;
    const std::string size = std::to_string(frame.size()), first = std::to_string(header[0]);
    EXPECT_TRUE(matches("tcp port 443", frame, link)) << link;
    EXPECT_FALSE(matches("udp", frame, link)) << link;
    EXPECT_TRUE(matches("len = " + size, frame, link)) << link;
    EXPECT_TRUE(matches("less " + size + " and greater " + size, frame, link)) << link;
    EXPECT_TRUE(matches("link[0] = " + first + " and link[" + std::to_string(header.size()) + "] = 0x45", frame, link))
        << link;
    EXPECT_FALSE(matches("tcp", {0xff, 0xff}, link)) << link;
  }
}

// A file on this machine says in which byte order it was made, frames of a feed do not; nor is each file's order that
// of the machine where its frames were captured.
TEST_F(PacketFilterTest, AddressFamiliesCountInBothByteOrders) {
  constexpr std::uint16_t kEnc = 109;
  const Bytes inside = ip6({}, tcp({}));
  for (const std::uint16_t link : {std::uint16_t{kLinkNull}, std::uint16_t{kLinkLoop}, kEnc}) {
    const Bytes rest(link == kEnc ? 8 : 0);
    for (const std::uint8_t family : Bytes{24, 28, 30}) {
      EXPECT_TRUE(matches("ip6 and tcp port 443", Bytes{family, 0, 0, 0} + rest + inside, link)) << link;
      EXPECT_TRUE(matches("ip6 and tcp port 443", Bytes{0, 0, 0, family} + rest + inside, link)) << link;
    }
    EXPECT_TRUE(matches("ip and tcp", Bytes{2, 0, 0, 0} + rest + kTcp, link)) << link;
    EXPECT_TRUE(matches("ip and tcp", Bytes{0, 0, 0, 2} + rest + kTcp, link)) << link;
    EXPECT_FALSE(matches("ip or ip6", Bytes{0, 0, 0, 7} + rest + kTcp, link)) << link;
    EXPECT_FALSE(matches("ip or ip6", Bytes{2, 0, 0}, link)) << link;
  }
}

// Byte 0 is the length of the header, rounded up to 4; byte 1 the family.
TEST_F(PacketFilterTest, LinkTypesThatAreNotDecodedHereYet) {
  constexpr std::uint16_t kPflog = 117;
  EXPECT_TRUE(matches("tcp port 443 and len = 104", Bytes{61, 2} + Bytes(62) + kTcp, kPflog));
  EXPECT_FALSE(matches("udp", Bytes{61, 2} + Bytes(62) + kTcp, kPflog));
}

TEST_F(PacketFilterTest, SaysWhatCannotBeFiltered) {
  const Bytes frame = Bytes(16) + Bytes{0x08, 0x00} + kTcp;
  const PacketFilter filter("tcp");
  EXPECT_EQ(filter.refusal(kLinkDsaTag).find("filter 'tcp': "), 0u) << filter.refusal(kLinkDsaTag);
  EXPECT_NE(filter.refusal(kLinkDsaTag).find("not implemented"), std::string::npos) << filter.refusal(kLinkDsaTag);
  for (const std::uint16_t link : {kLinkNull, kLinkEthernet, kLinkRawOpenBsd, kLinkPpi}) {
    EXPECT_EQ(filter.refusal(link), "") << link;
  }
  EXPECT_EQ(filter.links_missed(), std::vector<std::uint16_t>());
  EXPECT_FALSE(filter.matches(HeldFrame(frame, kLinkDsaTag).frame()));
  EXPECT_EQ(filter.links_missed(), std::vector<std::uint16_t>{kLinkDsaTag});
  // What needs no header can be asked of all.
  EXPECT_EQ(PacketFilter("less 100").refusal(kLinkDsaTag), "");
  EXPECT_TRUE(matches("less 100 and link[16] = 8", frame, kLinkDsaTag));
}

// It matches nothing there, which is an answer.
TEST_F(PacketFilterTest, WhatNoFrameOfALinkTypeMatchesIsNotRefused) {
  for (const std::uint16_t link : {kLinkNull, kLinkRaw, kLinkIpv4}) {
    const PacketFilter filter("arp");
    EXPECT_EQ(filter.refusal(link), "") << link;
    EXPECT_FALSE(filter.matches(HeldFrame(kTcp, link).frame())) << link;
    EXPECT_EQ(filter.links_missed(), std::vector<std::uint16_t>()) << link;
  }
  EXPECT_TRUE(matches("arp or tcp", kTcp, kLinkRaw));
}

// Directions are not in frames; nor does anybody know the network's mask.
TEST_F(PacketFilterTest, MeansWhatItMeansForAFile) {
  EXPECT_NE(PacketFilter("inbound").refusal(kLinkEthernet), "");
  EXPECT_EQ(PacketFilter("inbound").refusal(kLinkCooked), "") << "there it is in the header";
  EXPECT_NE(PacketFilter("tcp and inbound or ip6").refusal(kLinkEthernet), "");
  EXPECT_FALSE(matches("ip broadcast", kTcp, kLinkRaw));
  Bytes to_all = kUdp;
  std::fill_n(to_all.begin() + 16, 4, 0xff);
  EXPECT_TRUE(matches("ip broadcast", to_all, kLinkRaw));
}

// Long ones are compiled in parts or, where that is not possible, otherwise than short ones: they match the same.
TEST_F(PacketFilterTest, LongOnesMatchWhatTheirPartsMatch) {
  std::string list;
  for (int i = 0; i < 300; ++i) {
    const std::string host = "10." + std::to_string(1 + i / 200) + "." + std::to_string(i % 200) + ".1";
    list += (i ? " or " : "") + (i % 3 == 0   ? "host " + host
                                 : i % 3 == 1 ? "src or dst net " + host
                                              : "src " + host + " or " + host);
  }
  const std::pair<std::string, std::string> filters[] = {
      {list, ""},
      {list + " or tcp port 443", "tcp port 443"},
      {"udp or " + list, "udp"},
      {"tcp and (" + list + " or host 10.0.0.2)", "tcp and host 10.0.0.2"},
      {"ether dst 00:00:00:00:00:01 or " + list, ""}};
  const std::pair<std::uint16_t, Bytes> links[] = {
      {kLinkEthernet, ethernet(0x0800, {})}, {kLinkRaw, {}}, {kLinkNull, {2, 0, 0, 0}}};
  for (const auto& [filter, part] : filters) {
    const PacketFilter whole(filter);
    for (const auto& [link, header] : links) {
      for (const Bytes& packet : {kTcp, kUdp}) {
        const Bytes bytes = header + packet;
        const bool expected = !part.empty() && matches(part, bytes, link);
        EXPECT_EQ(whole.matches(HeldFrame(bytes, link).frame()), expected) << filter.substr(filter.size() - 40) << link;
      }
    }
  }
}

TEST_F(PacketFilterTest, LongOnesAreRefusedAsShortOnesAre) {
  std::string list = "host 10.0.0.1";
  for (int i = 0; i < 300; ++i) list += " or host 10.0.1." + std::to_string(i % 250);
  EXPECT_NO_THROW(PacketFilter{list});
  EXPECT_THROW(PacketFilter(list + " or hots 10.0.0.2"), Error);
  EXPECT_THROW(PacketFilter(list + " or"), Error);
  EXPECT_THROW(PacketFilter("tcp and (" + list), Error);
}

TEST_F(PacketFilterTest, Ip6Links) {
  EXPECT_TRUE(matches("ip6 and tcp", ip6({}, tcp({})), kLinkIpv6));
  EXPECT_TRUE(matches("ip6 and tcp", ip6({}, tcp({})), kLinkRaw));
  EXPECT_FALSE(matches("ip6 and tcp", ip6({17}, udp(1, 2)), kLinkIpv6));
}

// Only Ethernet and the like have such addresses.
TEST_F(PacketFilterTest, FilterForSomeLinkTypesOnly) {
  EXPECT_TRUE(matches("ether src 00:00:00:00:00:00", ethernet(0x0800, kTcp), kLinkEthernet));
  EXPECT_FALSE(matches("ether src 00:00:00:00:00:00", kTcp, kLinkRaw));
  EXPECT_NE(PacketFilter("ether src 00:00:00:00:00:00").refusal(kLinkRaw), "");
}

TEST_F(PacketFilterTest, LengthIsThatOnTheWire) {
  const HeldFrame cut = HeldFrame::cut(ethernet(0x0800, kTcp + Bytes(1000)), 60);
  EXPECT_TRUE(PacketFilter("greater 1000").matches(cut.frame()));
  EXPECT_FALSE(PacketFilter("less 60").matches(cut.frame()));
}

TEST_F(PacketFilterTest, EveryCutFrameIsTestedWithinItsBytes) {
  const PacketFilter filter("tcp port 443");
  const Bytes whole = ethernet(0x0800, kTcp);
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    EXPECT_EQ(filter.matches(HeldFrame::cut(whole, size).frame()), size >= 14 + 24) << size;
  }
}

TEST_F(PacketFilterTest, UnknownLinkTypeDoesNotMatch) {
  EXPECT_FALSE(matches("ip", ethernet(0x0800, kTcp), kUnknownLink));
}

TEST_F(PacketFilterTest, WhatIsNoFilterIsAUsageErrorThatQuotesIt) {
  try {
    const PacketFilter filter("tcp prot 80");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::usage);
    EXPECT_NE(std::string(error.what()).find("'tcp prot 80'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace warpmeter::test
