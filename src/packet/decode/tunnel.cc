#include "packet/decode/tunnel.h"

#include <cstring>

namespace warpmeter::inline packet {
namespace {

TunnelKind kind_of(std::uint8_t protocol) {
  switch (protocol) {
    case 4: return TunnelKind::ip4_in_ip;
    case 41: return TunnelKind::ip6_in_ip;
    case 47: return TunnelKind::gre;
    case 97: return TunnelKind::ether_ip;
    case 137: return TunnelKind::mpls_in_ip;
    case 143: return TunnelKind::ethernet_in_ip;
    default: return TunnelKind::none;
  }
}

// What lies in `p`; Layer::nothing: it is no tunnel's packet, or one that stays closed.
Layer enter(const IpPacket& p, TunnelEntry& e, const TunnelKinds& kinds) {
  constexpr std::uint8_t kUdp = 17;
  const TunnelKind kind = kind_of(p.protocol);
  if (p.fragment_offset) return kind == TunnelKind::none ? Layer::nothing : e.closed(kind, Unopened::fragment);
  switch (kind) {
    case TunnelKind::ip4_in_ip: return e.is(kind, Layer::ipv4);
    case TunnelKind::ip6_in_ip: return e.is(kind, Layer::ipv6);
    case TunnelKind::gre: return enter_gre(e, kind);
    case TunnelKind::ether_ip: return e.behind(kind, 2, Layer::ethernet);
    case TunnelKind::mpls_in_ip: return e.is(kind, Layer::mpls);
    case TunnelKind::ethernet_in_ip: return e.is(kind, Layer::ethernet);
    default: return p.protocol == kUdp ? enter_udp(e, kinds) : Layer::nothing;
  }
}

}  // namespace

Unopened why_unopened(Ignored why) {
  if (why == Ignored::cut_short) return Unopened::cut_short;
  return why == Ignored::not_ip ? Unopened::not_ip : Unopened::bad_ip;
}

InTunnel look_into_tunnel(const Frame& frame, const IpPacket& outer, const IpPlace& at, const TunnelKinds& kinds,
                          Annex* annex) {
  TunnelEntry entry{.walk = walk_in(frame)};
  entry.walk.annex = annex;
  entry.walk.vlan = at.vlan;
  entry.walk.tagged = at.tagged;
  entry.walk.skip(static_cast<std::uint64_t>(outer.payload - frame.data));
  const Layer layer = enter(outer, entry, kinds);
  InTunnel in{entry.kind, entry.why, at, entry.id};
  if (in.kind == TunnelKind::none || in.why) return in;
  in.place = descend(entry.walk, layer);
  if (!in.place.version && !in.place.several) in.why = why_unopened(in.place.why);
  return in;
}

void note_tunnel(const InTunnel& in, const IpPacket& outer, Annex& annex) {
  const std::size_t bytes = outer.version == 4 ? 4 : 16;
  annex.tunnel = static_cast<std::uint8_t>(in.kind);
  annex.outer_version = outer.version;
  std::memset(annex.outer_src, 0, sizeof annex.outer_src);
  std::memset(annex.outer_dst, 0, sizeof annex.outer_dst);
  std::memcpy(annex.outer_src, outer.source, bytes);
  std::memcpy(annex.outer_dst, outer.destination, bytes);
  annex.tunnel_id = in.id.value_or(0);
  annex.has &= ~bit_of(AnnexField::tunnel_id);
  if (in.id) annex.set(AnnexField::tunnel_id);
  for (const AnnexField field : {AnnexField::tunnel, AnnexField::outer_src_addr, AnnexField::outer_dst_addr}) {
    annex.set(field);
  }
}

}  // namespace warpmeter::inline packet
