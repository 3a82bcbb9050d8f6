// What a packet tells for the annex of its flow: of layers that e2e.annex has not, and of what is damaged.
#include <gtest/gtest.h>

#include <string>

#include "packet/decode/decoder.h"
#include "support/held_frame.h"
#include "support/packets.h"
#include "support/tunnel_packets.h"

namespace warpmeter::test {
namespace {

std::string annex_text(const Annex& annex, AnnexField field) {
  std::string text(facts_of(field).text, '?');
  text.resize(static_cast<std::size_t>(annex.write(text.data(), field) - text.data()));
  return text;
}

// Of the packet at that place among those that the frame's batch has.
Annex annex_of(const HeldFrame& held, bool decapsulate = false, std::uint32_t at = 0, std::size_t before = 0) {
  const Decoder decoder({.decapsulate = decapsulate}, 1);
  FrameBlock block;
  block.frames.push_back(held.frame());
  SegmentBatch batch(1);
  DecodeCounters counters;
  decoder.decode(block, batch, counters);
  EXPECT_GT(batch.count, at);
  return decoder.annex_of(held.frame(), batch.key[at], before);
}

Bytes syn_with(const Bytes& options, std::uint8_t flags = 2) {
  return ip4({}, tcp({.header_words = static_cast<std::uint8_t>(5 + options.size() / 4), .flags = flags}, options));
}

TEST(FirstPacket, TellsOptionsUpToALengthThatCannotBe) {
  const auto options = [](const Bytes& bytes) {
    const HeldFrame held(ethernet(0x0800, syn_with(bytes)));
    return annex_text(annex_of(held), AnnexField::syn_options);
  };
  EXPECT_EQ(options({1, 2, 4, 5, 0xb4, 1, 1, 1}), "1-2-1-1-1");
  EXPECT_EQ(options({1, 2, 1, 5, 0xb4, 1, 1, 1}), "1") << "a length below 2";
  EXPECT_EQ(options({1, 2, 9, 5, 0xb4, 1, 1, 1}), "1") << "a length beyond the header";
  EXPECT_EQ(options({1, 1, 1, 2}), "1-1-1") << "no length";
  EXPECT_EQ(options({1, 0, 2, 4}), "1-0") << "the end of the list";
  EXPECT_EQ(options(Bytes(40, 1)).size(), 79u);
}

TEST(FirstPacket, TellsOptionsAsFarAsTheyWereCaptured) {
  const Bytes frame = ethernet(0x0800, syn_with({2, 4, 5, 0xb4, 3, 3, 7, 0}));
  const Annex annex = annex_of(HeldFrame::cut(frame, frame.size() - 3));
  EXPECT_EQ(annex_text(annex, AnnexField::syn_options), "2");
  EXPECT_EQ(annex.number(AnnexField::syn_mss), 0x5b4);
  EXPECT_EQ(annex.number(AnnexField::syn_window_scale), std::nullopt);
  EXPECT_EQ(annex.number(AnnexField::syn_window), 512);
  EXPECT_EQ(annex.number(AnnexField::syn_sack_permitted), std::nullopt) << "it may stand behind the cut";
  EXPECT_EQ(annex.number(AnnexField::syn_timestamps), std::nullopt);
  EXPECT_EQ(annex_of(HeldFrame(frame)).number(AnnexField::syn_sack_permitted), 0);
  const Bytes ended = ethernet(0x0800, syn_with({4, 2, 0, 0, 0, 0, 0, 0}));
  const Annex known = annex_of(HeldFrame::cut(ended, ended.size() - 3));
  EXPECT_EQ(known.number(AnnexField::syn_sack_permitted), 1);
  EXPECT_EQ(known.number(AnnexField::syn_timestamps), 0) << "the list ended before the cut";
}

TEST(FirstPacket, TakesAnOptionOfAnotherLengthForNoValue) {
  const Annex annex = annex_of(HeldFrame(ethernet(0x0800, syn_with({2, 3, 5, 1, 3, 4, 7, 9}))));
  EXPECT_EQ(annex_text(annex, AnnexField::syn_options), "2-1-3");
  EXPECT_EQ(annex.number(AnnexField::syn_mss), std::nullopt);
  EXPECT_EQ(annex.number(AnnexField::syn_window_scale), std::nullopt);
}

TEST(FirstPacket, TellsNothingOfASynWithReset) {
  const Annex annex = annex_of(HeldFrame(ethernet(0x0800, syn_with({2, 4, 5, 0xb4}, 6))));
  EXPECT_EQ(annex.number(AnnexField::first_tcp_flags), 6);
  EXPECT_FALSE(annex.has_syn());
}

TEST(FirstPacket, TellsNoFlagsOfAHeaderThatIsNone) {
  const Bytes cut = ip4({}, tcp({}));
  const Annex of_cut = annex_of(HeldFrame::cut(ethernet(0x0800, cut), 14 + 20 + 19));
  EXPECT_EQ(of_cut.number(AnnexField::first_tcp_flags), std::nullopt);
  EXPECT_EQ(of_cut.number(AnnexField::ttl), 64);
  const Annex of_malformed = annex_of(HeldFrame(ethernet(0x0800, ip4({}, tcp({.header_words = 4})))));
  EXPECT_EQ(of_malformed.number(AnnexField::first_tcp_flags), std::nullopt);
  const Annex of_fragment = annex_of(HeldFrame(ethernet(0x0800, ip4({.fragment = 5}, tcp({.flags = 2})))));
  EXPECT_EQ(of_fragment.number(AnnexField::first_tcp_flags), std::nullopt);
}

TEST(FirstPacket, HasNoAddressesWithoutEthernet) {
  const Annex annex = annex_of(HeldFrame(ip6({}, tcp({})), kLinkRaw));
  EXPECT_FALSE(annex.has_value(AnnexField::src_mac));
  EXPECT_EQ(annex.number(AnnexField::ttl), 64);
  EXPECT_FALSE(annex.has_value(AnnexField::outer_vlan_id));
}

TEST(FirstPacket, TellsTheInnermostTunnelOfEveryKind) {
  const Bytes inner = ip4({.ttl = 9}, tcp({}));
  for (const Tunnel& tunnel : tunnels(false)) {
    for (const bool outer_ip6 : {false, true}) {
      const HeldFrame held(in_tunnel(tunnel, inner, outer_ip6), kLinkRaw);
      const Annex opened = annex_of(held, true), closed = annex_of(held);
      EXPECT_TRUE(opened.has_value(AnnexField::tunnel)) << tunnel.name;
      EXPECT_EQ(annex_text(opened, AnnexField::outer_src_addr), outer_ip6 ? "2001:db8::1" : "10.0.0.1") << tunnel.name;
      EXPECT_EQ(opened.number(AnnexField::ttl), 9) << tunnel.name;
      EXPECT_FALSE(closed.has_value(AnnexField::tunnel)) << tunnel.name;
      EXPECT_FALSE(closed.has_value(AnnexField::outer_vlan_id)) << tunnel.name << ": what is in there tells nothing";
      EXPECT_EQ(closed.number(AnnexField::ttl), 64) << tunnel.name;
    }
  }
}

TEST(FirstPacket, ForgetsWhatLiesInATunnelThatStaysClosed) {
  const Bytes no_ip = ethernet(0x8100, vlan_tag(5, 0x0806)) + Bytes(28);
  const Bytes outer = ip4({.protocol = 17}, udp(50000, 4789, Bytes{8} + Bytes(7) + no_ip));
  const Annex annex = annex_of(HeldFrame(outer, kLinkRaw), true);
  EXPECT_FALSE(annex.has_value(AnnexField::tunnel));
  EXPECT_FALSE(annex.has_value(AnnexField::outer_vlan_id));
  EXPECT_FALSE(annex.has_value(AnnexField::src_mac));
}

TEST(FirstPacket, IsThatAtItsPlaceInAFrameOfSeveral) {
  const auto msdu = [](std::uint8_t ttl) {
    const Bytes packet = Bytes{0xaa, 0xaa, 3, 0, 0, 0, 8, 0} + ip4({.ttl = ttl}, tcp({}));
    Bytes whole = Bytes(12) + ByteWriter().u16(static_cast<std::uint16_t>(packet.size())).data() + packet;
    whole.resize((whole.size() + 3) / 4 * 4);
    return whole;
  };
  const Bytes frame = Bytes{0x88, 0x02} + Bytes(22) + Bytes{0x80, 0} + msdu(11) + msdu(22);
  const HeldFrame held(frame, 105);
  EXPECT_EQ(annex_of(held, false, 0, 0).number(AnnexField::ttl), 11);
  EXPECT_EQ(annex_of(held, false, 1, 1).number(AnnexField::ttl), 22);
}

}  // namespace
}  // namespace warpmeter::test
