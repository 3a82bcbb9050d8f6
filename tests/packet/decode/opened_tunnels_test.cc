// Tunnels through the whole decoder: by which ports they are known, and what is counted of those that stay closed.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "packet/decode/decoder.h"
#include "packet/decode/unread_words.h"
#include "support/held_frame.h"
#include "support/packets.h"
#include "support/tunnel_packets.h"

namespace warpmeter::test {
namespace {

using Names = std::vector<std::pair<std::string, std::uint64_t>>;

const Bytes kInner = ip4({.id = 77}, tcp({.source_port = 4444}));
const Bytes kFrame = ethernet(0x0800, kInner);
const Bytes kVxlan = Bytes{8} + Bytes(7);

struct Decoded {
  bool opened = false;
  Names unopened;  // why, if not
};

Decoded decoded(const HeldFrame& held, const TunnelPorts& ports = {}) {
  const Decoder decoder({.decapsulate = true, .tunnel_ports = ports}, 1);
  FrameBlock block;
  block.frames.push_back(held.frame());
  SegmentBatch batch(1);
  DecodeCounters counters;
  decoder.decode(block, batch, counters);
  EXPECT_EQ(batch.count, 1u);
  const bool opened = batch.count == 1 && batch.key[0].source_port[0] == (4444 >> 8);
  EXPECT_GE(counters.decapsulated, opened);
  return {opened, unopened_names(counters, 99).names};
}
Decoded decoded(const Bytes& packet, const TunnelPorts& ports = {}) {
  return decoded(HeldFrame(packet, kLinkRaw), ports);
}

Bytes over_udp(std::uint16_t source, std::uint16_t destination, const Bytes& payload) {
  return ip4({.protocol = 17}, udp(source, destination, payload));
}

TunnelPorts with(UdpTunnel kind, std::vector<std::uint16_t> ports) {
  TunnelPorts all;
  all.set(kind, std::move(ports));
  return all;
}

TEST(OpenedTunnels, OfEveryKindInBothVersions) {
  for (const Tunnel& tunnel : tunnels(false)) {
    for (const bool outer_ip6 : {false, true}) {
      const Decoded got = decoded(in_tunnel(tunnel, kInner, outer_ip6));
      EXPECT_TRUE(got.opened) << tunnel.name;
      EXPECT_EQ(got.unopened, Names()) << tunnel.name;
    }
  }
}

TEST(OpenedTunnels, VxlanToTheUsualPortsAndToChosenOnes) {
  const auto opened = [](std::uint16_t port, const TunnelPorts& ports) {
    return decoded(over_udp(40000, port, kVxlan + kFrame), ports).opened;
  };
  for (const std::uint16_t port : {std::uint16_t{4789}, std::uint16_t{8472}}) {
    EXPECT_TRUE(opened(port, {}));
    EXPECT_FALSE(opened(port, with(UdpTunnel::vxlan, {5000})));
    EXPECT_TRUE(opened(port, with(UdpTunnel::geneve, {5000})));
  }
  EXPECT_FALSE(opened(5000, {}));
  EXPECT_TRUE(opened(5000, with(UdpTunnel::vxlan, {65535, 5000})));
  EXPECT_TRUE(opened(65535, with(UdpTunnel::vxlan, {65535, 5000})));
}

TEST(OpenedTunnels, ByEitherPortOrByTheDestination) {
  const Bytes gtp = Bytes{0x30, 255} + Bytes(6) + kInner;
  EXPECT_TRUE(decoded(over_udp(5000, 40000, gtp), with(UdpTunnel::gtp_u, {5000})).opened);
  EXPECT_FALSE(decoded(over_udp(4341, 40000, Bytes(8) + kInner)).opened);
  EXPECT_TRUE(decoded(over_udp(40000, 4341, Bytes(8) + kInner)).opened);
}

TEST(OpenedTunnels, OfOnePortTheFirstThatFitsTheBytes) {
  TunnelPorts ports = with(UdpTunnel::vxlan, {5000});
  ports.set(UdpTunnel::gtp_u, {5000});
  ports.set(UdpTunnel::lisp, {5000});
  EXPECT_TRUE(decoded(over_udp(40000, 5000, kVxlan + kFrame), ports).opened);
  EXPECT_TRUE(decoded(over_udp(40000, 5000, Bytes{0x30, 255} + Bytes(6) + kInner), ports).opened);
  EXPECT_TRUE(decoded(over_udp(40000, 5000, Bytes(8) + kInner), ports).opened);
}

void expect_closed(const Bytes& packet, const std::string& why) {
  const Decoded got = decoded(packet);
  EXPECT_FALSE(got.opened) << why;
  EXPECT_EQ(got.unopened, why.empty() ? Names() : (Names{{why, 1}})) << why;
}

TEST(OpenedTunnels, WhyOthersStayClosed) {
  const auto gre = [](std::uint16_t flags, std::uint16_t type) { return ByteWriter().u16(flags).u16(type).data(); };
  const auto in = [](std::uint8_t protocol, const Bytes& payload) { return ip4({.protocol = protocol}, payload); };
  const Bytes arp = ethernet(0x0806, Bytes(28));
  expect_closed(in(47, gre(2, 0x0800) + kInner), "GRE, another version");
  expect_closed(in(47, gre(0x4000, 0x0800) + Bytes(8) + kInner), "GRE, source-routed");
  expect_closed(in(47, gre(0, 0x0806) + Bytes(28)), "GRE, not IP");
  expect_closed(in(47, gre(0, 0x0800)), "GRE, cut short");
  expect_closed(in(47, gre(1, 0x880b) + Bytes(8)), "");  // PPTP: an acknowledgement carries no packet
  expect_closed(in(4, Bytes(20)), "IPv4 in IP, bad IP header");
  expect_closed(ip4({.protocol = 41, .fragment = 3}, Bytes(40)), "IPv6 in IP, later fragment");
  expect_closed(ip4({.protocol = 17, .fragment = 3}, Bytes(40)), "");  // whose, nobody can tell
  expect_closed(in(97, Bytes{0x30, 0} + arp), "EtherIP, not IP");
  expect_closed(over_udp(40000, 4789, kVxlan + arp), "VXLAN, not IP");
  expect_closed(over_udp(40000, 4789, kVxlan), "VXLAN, cut short");
  expect_closed(over_udp(40000, 4789, Bytes(8) + kFrame), "");  // without its flag it is none
  expect_closed(over_udp(40000, 4790, Bytes{12, 0, 0, 9} + Bytes(4)), "VXLAN-GPE, not IP");
  expect_closed(over_udp(40000, 1701, Bytes{0, 3} + Bytes(20)), "L2TP, another version");
  expect_closed(over_udp(40000, 1701, Bytes{0xc8, 2} + Bytes(20)), "");  // a control message
  expect_closed(over_udp(40000, 37008, Bytes{1, 0, 0, 2, 1} + kFrame), "TZSP, not IP");
  expect_closed(over_udp(40000, 5247, Bytes{1, 0, 0, 0} + Bytes(40)), "CAPWAP, encrypted");
  expect_closed(over_udp(40000, 5247, Bytes{0, 0x10, 0x02, 0x80, 0, 1, 0, 8} + kFrame), "CAPWAP, later fragment");
}

TEST(OpenedTunnels, TheNinthWithinAnother) {
  Bytes packet = kInner;
  for (int depth = 0; depth < 8; ++depth) packet = ip4({.protocol = 4}, packet);
  EXPECT_TRUE(decoded(packet).opened);
  const Decoded got = decoded(ip4({.protocol = 4}, packet));
  EXPECT_TRUE(got.unopened == (Names{{"IPv4 in IP, too deep", 1}}));
}

TEST(OpenedTunnels, ThatAreCutAnywhere) {
  const Bytes packet = over_udp(40000, 4789, kVxlan + kFrame);
  for (std::size_t size = 28; size < packet.size() - kInner.size() + 20; ++size) {
    const Decoded got = decoded(HeldFrame::cut(packet, size, kLinkRaw));
    EXPECT_EQ(got.unopened, (Names{{"VXLAN, cut short", 1}})) << size;
  }
}

}  // namespace
}  // namespace warpmeter::test
