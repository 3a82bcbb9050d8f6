// What decoding names of what it does not read: frames without IP by the protocol that they have instead, and tunnels
// by what kept them closed. Each such name is one number, so that counters can be kept for it (SparseCounts).
#pragma once

#include <cstdint>

namespace warpmeter {

// Which protocol numbers tell what a frame without IP is. The numbers go into segment files.
enum class ProtocolSpace : std::uint8_t {
  link_type = 0,       // LINKTYPE: all that is known is what the capture says of the frame
  ether_type = 1,      // or an 802.3 length that is none
  llc = 2,             // destination and source service access point
  snap_cisco = 3,      // protocol ids under Cisco's OUI
  snap_bridge = 4,     // under IEEE 802.1's, of bridged frames
  snap_other = 5,      // the first two bytes of any other OUI
  ppp = 6,             // RFC 1661
  nlpid = 7,           // RFC 2427
  family = 8,          // address family of a BSD loopback or a packet filter
  cooked = 9,          // Linux' own numbers in place of an EtherType
  wlan = 10,           // WlanFrame
  raw = 11,            // the first four bits, where IP has its version
  next_protocol = 12,  // of NSH and VXLAN-GPE
};
inline constexpr std::uint8_t kProtocolSpaces = 13;

// 802.11 frames that carry no packet to be read.
enum class WlanFrame : std::uint8_t { management, control, extension, without_body, encrypted, unknown_body };
inline constexpr std::uint8_t kWlanFrames = 6;

struct NotIp {
  ProtocolSpace space = ProtocolSpace::link_type;
  std::uint16_t number = 0;

  constexpr std::uint32_t as_number() const { return static_cast<std::uint32_t>(space) << 16 | number; }
  static constexpr NotIp of_number(std::uint32_t number) {
    return {static_cast<ProtocolSpace>(number >> 16), static_cast<std::uint16_t>(number)};
  }

  bool operator==(const NotIp&) const = default;
};

// The numbers go into segment files.
enum class TunnelKind : std::uint8_t {
  none = 0,
  ip4_in_ip = 1,
  ip6_in_ip = 2,
  gre = 3,
  ether_ip = 4,
  mpls_in_ip = 5,
  ethernet_in_ip = 6,
  vxlan = 7,
  vxlan_gpe = 8,
  geneve = 9,
  gtp_u = 10,
  teredo = 11,
  l2tp = 12,
  tzsp = 13,
  capwap = 14,
  gre_in_udp = 15,
  mpls_in_udp = 16,
  lisp = 17,
};
inline constexpr std::uint8_t kTunnelKinds = 18;

// Why the packet of a tunnel was metered, and not what is in it.
enum class Unopened : std::uint8_t {
  not_ip = 0,         // it carries something else
  cut_short = 1,      // by the snap length, or on the wire
  bad_ip = 2,         // an IP header that makes no sense
  fragment = 3,       // a later one
  encrypted = 4,      //
  other_version = 5,  // of the tunnel's protocol
  source_routed = 6,  // GRE
  too_deep = 7,       // in more tunnels than are opened
};
inline constexpr std::uint8_t kUnopened = 8;

constexpr std::uint32_t unopened_number(TunnelKind kind, Unopened why) {
  return static_cast<std::uint32_t>(kind) * kUnopened + static_cast<std::uint32_t>(why);
}

}  // namespace warpmeter
