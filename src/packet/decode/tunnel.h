// Packets in packets: IPIP (RFC 2003), 6in4 (RFC 4213), GRE (RFC 2784, 2890) with NVGRE (RFC 7637), ERSPAN, PPTP
// (RFC 2637), PPP, EoIP, WCCP and Aruba's, EtherIP (RFC 3378), MPLS in IP (RFC 4023), Ethernet in IPv6 (RFC 8986), and
// what is known by UDP ports (udp_tunnel.cc).
#pragma once

#include <bitset>
#include <cstdint>
#include <map>
#include <optional>

#include "core/tunnel_ports.h"
#include "core/unread_layers.h"
#include "packet/decode/ip.h"
#include "packet/decode/layers.h"
#include "packet/decode/link_layer.h"
#include "warpmeter/frame.h"

namespace warpmeter::inline packet {

inline constexpr int kMostTunnels = 8;  // within each other

// Which tunnels a UDP port may mean.
class TunnelKinds {
 public:
  explicit TunnelKinds(const TunnelPorts& ports) {
    for (std::size_t i = 0; i < kUdpTunnels; ++i) {
      const auto kind = static_cast<UdpTunnel>(i);
      for (const std::uint16_t port : ports.of(kind)) {
        any_.set(port);
        kinds_[port] |= bit(kind);
      }
    }
  }

  static constexpr unsigned bit(UdpTunnel kind) { return 1U << static_cast<unsigned>(kind); }

  // A bit each. Most packets have ports that mean none, which takes one look into 8 KiB.
  unsigned of(std::uint16_t port) const { return any_[port] ? kinds_.find(port)->second : 0; }

 private:
  std::bitset<65536> any_;
  std::map<std::uint16_t, unsigned> kinds_;
};

// What is in a packet.
struct InTunnel {
  TunnelKind kind;              // none: it is no tunnel's
  std::optional<Unopened> why;  // it cannot be told what is in there
  IpPlace place;                // of the packet within, or of several; with the tag met on the way there, if any
  std::optional<std::uint32_t> id = {};  // VNI, TEID or key, if an annex is wanted
};

// `outer`: a packet of `frame`; `at`: its place, whose tag is that of the place within. Never reads beyond the captured
// bytes. `annex`: where the layers on the way are noted, if not null.
InTunnel look_into_tunnel(const Frame& frame, const IpPacket& outer, const IpPlace& at, const TunnelKinds& kinds,
                          Annex* annex = nullptr);

// Notes the tunnel `in` that `outer` carries.
void note_tunnel(const InTunnel& in, const IpPacket& outer, Annex& annex);

Unopened why_unopened(Ignored why);

// Goes into the tunnels of a frame. `Closed`: called with kind and reason of a tunnel that stays closed; `Take`: with
// the packets, as below.
template <class Closed, class Take>
class InnermostPackets {
 public:
  InnermostPackets(const TunnelKinds& kinds, const Closed& closed, const Take& take, Annex* annex = nullptr)
      : kinds_(kinds), closed_(closed), take_(take), annex_(annex) {}

  void of(const Frame& frame, IpPacket packet, IpPlace place, int layers) const {
    while (go_down(frame, packet, place, layers)) --layers;
  }

 private:
  // From a packet to the one within. False: that was the innermost, or those, which are taken.
  bool go_down(const Frame& frame, IpPacket& packet, IpPlace& place, int layers) const {
    const Annex before = annex_ ? *annex_ : Annex();
    InTunnel in = look_into_tunnel(frame, packet, place, kinds_, annex_);
    if (in.kind == TunnelKind::none) return take_(packet, place.vlan), false;
    if (annex_) note_tunnel(in, packet, *annex_);
    if (layers > 0) place = in.place;
    else if (!in.why) in.why = Unopened::too_deep;
    if (place.several && !in.why) {
      if (each_readable(frame, place, layers - 1)) return false;
      in.why = Unopened::not_ip;
    }
    IpPacket inner;
    if (!in.why && !read_ip(frame, place.version, place.offset, inner, place.why)) in.why = why_unopened(place.why);
    if (in.why) {
      if (annex_) *annex_ = before;
      closed_(in.kind, *in.why);
      return take_(packet, place.vlan), false;
    }
    packet = inner;
    return true;
  }

  // Of an A-MSDU in a tunnel those packets that can be read. Are there any? MSDUs lie side by side, and another A-MSDU
  // in one takes a layer: all of it takes time in proportion to the bytes of the frame.
  bool each_readable(const Frame& frame, const IpPlace& msdus, int layers) const {
    bool any = false;
    each_packet(
        frame, msdus,
        [&](const Frame& msdu, const IpPlace& place) {
          IpPacket packet;
          Ignored why;
          if (!place.version || !read_ip(msdu, place.version, place.offset, packet, why)) return;
          of(msdu, packet, place, layers);
          any = true;
        },
        annex_);
    return any;
  }

  const TunnelKinds& kinds_;
  const Closed& closed_;
  const Take& take_;
  Annex* const annex_;  // null: nobody asks
};

// Calls `take(packet, vlan)` for the innermost packets in `outer`, a packet of `frame`, whose IP header can be read, at
// most kMostTunnels deep: once, or of an A-MSDU for each of its packets; for `outer` itself if it is no tunnel's, or if
// nothing in there can be read. `at`: the place of `outer`. `vlan`: id of the outermost tag in front of the packet.
// Calls `closed(kind, why)` before that for a tunnel that stays closed. `annex`: what is noted on the way to a packet,
// while it is taken, if not null.
template <class Closed, class Take>
void each_innermost(const Frame& frame, const IpPacket& outer, const IpPlace& at, const TunnelKinds& kinds,
                    const Closed& closed, const Take& take, Annex* annex = nullptr) {
  InnermostPackets(kinds, closed, take, annex).of(frame, outer, at, kMostTunnels);
}

// For tunnel.cc, gre.cc and udp_tunnel.cc: a walk into a packet that may be a tunnel's.
struct TunnelEntry {
  Walk walk;                           // stands behind the IP header, then where the packet within begins
  TunnelKind kind = TunnelKind::none;  // none: no tunnel, or a message of its protocol that carries no packet
  std::optional<Unopened> why = {};    // nothing: what is within tells
  std::optional<std::uint32_t> id = {};

  // VNI, TEID or key, of 3 or 4 bytes from here.
  void note_id(std::uint32_t offset, std::uint32_t bytes) {
    if (walk.annex && walk.has(offset, bytes)) id = bytes == 3 ? walk.u24(offset) : walk.u32(offset);
  }

  Layer is(TunnelKind which, Layer next) {
    kind = which;
    why.reset();
    return next;
  }
  Layer closed(TunnelKind which, Unopened reason) {
    kind = which;
    why = reason;
    return Layer::nothing;
  }
  Layer cut_short(TunnelKind which) { return closed(which, Unopened::cut_short); }
  Layer behind(TunnelKind which, std::uint64_t header, Layer next) {
    walk.skip(header);
    return is(which, next);
  }
};

// These move the walk to what lies within, and return what that is. Layer::nothing: see `kind` and `why`.

// RFC 2784 and its kin; `kind`: what carries it.
Layer enter_gre(TunnelEntry& entry, TunnelKind kind);

// Tunnels known by their ports. Servers have theirs at either end where both sides send from it.
Layer enter_udp(TunnelEntry& entry, const TunnelKinds& kinds);

}  // namespace warpmeter::inline packet
