// RFC 2003 and 4213 (IP in IP), RFC 2784, 2890 and 7637 (GRE), RFC 2637 (PPTP), draft-foschiano-erspan, RFC 7348
// (VXLAN), RFC 8926 (Geneve), 3GPP TS 29.281 (GTP-U), RFC 4380 (Teredo), RFC 2661 (L2TP), draft-ietf-nvo3-vxlan-gpe,
// RFC 3378 (EtherIP), RFC 4023 and 7510 (MPLS in IP, in UDP), RFC 8086 (GRE in UDP), RFC 8986 (Ethernet in IPv6), RFC
// 9300 (LISP), RFC 5415 and 5416 (CAPWAP), and how Wireshark reads WCCP, EoIP, TZSP and Aruba's GRE.
#include "innermost.h"

#include <algorithm>
#include <optional>

#include "descent.h"
#include "link.h"
#include "link_layers.h"

namespace reference {
namespace {

using Inside = std::optional<IpPlace>;  // none: not a tunnel, or one that carries no packet here

constexpr int most_layers = 8;

// PPTP's version of GRE has a payload only with a sequence number, EoIP's always.
Inside inside_version_1(Descent descent, uint16_t flags, uint16_t kind) {
  if (kind == 0x6400) return descent.skip(8).ethernet();
  if (kind != 0x880b || !(flags & 0x1000)) return {};
  const bool acknowledges = flags & 0x0080;
  return descent.skip(12 + 4 * acknowledges).ppp();
}

Inside inside_gre(Descent descent) {
  constexpr uint16_t checksum = 0x8000, routing = 0x4000, key = 0x2000, sequence = 0x1000, version_bits = 7;
  const uint16_t flags = descent.u16(0), kind = descent.u16(2);
  if ((flags & version_bits) == 1) return inside_version_1(descent, flags, kind);
  if (flags & (version_bits | routing)) return {};
  descent.skip(4);
  for (uint16_t optional_word : {checksum, key, sequence})
    if (flags & optional_word) descent.skip(4);
  switch (kind) {
    case 0x6558: return descent.ethernet();                                     // NVGRE
    case 0x88be: return descent.skip(flags & sequence ? 8 : 0).ethernet();      // ERSPAN II, and I without its header
    case 0x22eb: return descent.skip(descent.u8(11) & 1 ? 20 : 12).ethernet();  // ERSPAN III, its subheader
    case 0x880b: return descent.ppp();
    case 0x883e: return descent.skip(descent.u8(0) >> 4 == 4 ? 0 : 4).found(4);  // WCCP without its header, and with it
    case 0x9000: return wlan(descent, false);
    default: break;
  }
  if (kind >= 0x8200 && kind <= 0x8370 && kind % 16 == 0) return wlan(descent, false);  // Aruba
  return descent.ethertype(kind);
}

Inside inside_geneve(Descent descent) {
  const int64_t options = (descent.u8(0) & 63) * 4;
  const uint16_t kind = descent.u16(2);
  descent.skip(8 + options);
  return kind == 0x6558 ? descent.ethernet() : descent.ethertype(kind);
}

Inside inside_gtp(Descent descent) {
  constexpr uint8_t any_optional = 7, with_extensions = 4;
  const uint8_t flags = descent.u8(0);
  descent.skip(8);
  if (!(flags & any_optional)) return descent.by_version();
  uint8_t following = flags & with_extensions ? descent.u8(3) : 0;
  descent.skip(4);
  while (following != 0) {
    const int64_t size = descent.u8(0) * 4;
    if (size == 0) return {};
    following = descent.u8(size - 1);
    descent.skip(size);
  }
  return descent.by_version();
}

bool is_gtp_packet(const Descent& descent) { return (descent.u8(0) & 0xf0) == 0x30 && descent.u8(1) == 255; }

Inside inside_teredo(Descent descent) {
  if (descent.matches(0, {0, 1})) descent.skip(13 + descent.u8(2) + descent.u8(3));  // authentication
  if (descent.matches(0, {0, 0})) descent.skip(8);                                   // origin
  if (descent.u8(0) >> 4 != 6) return {};
  return descent.found(6);
}

Inside inside_l2tp(Descent descent) {
  constexpr uint16_t control = 0x8000, length = 0x4000, sequence = 0x0800, offset = 0x0200, version_bits = 15;
  const uint16_t flags = descent.u16(0);
  if (flags & control || (flags & version_bits) != 2) return {};
  descent.skip(6);
  if (flags & length) descent.skip(2);
  if (flags & sequence) descent.skip(4);
  if (flags & offset) descent.skip(2 + descent.u16(0));
  return descent.ppp();
}

Inside inside_gpe(Descent descent) {
  const bool tells_protocol = descent.u8(0) & 4;
  const uint8_t protocol = tells_protocol ? descent.u8(3) : 3;
  return descent.skip(8).next_protocol(protocol);
}

Inside inside_tzsp(Descent descent) {
  const uint16_t encapsulated = descent.u16(2);
  descent.skip(4);
  while (descent.u8(0) != 1) descent.skip(descent.u8(0) == 0 ? 1 : 2 + descent.u8(1));
  descent.skip(1);
  switch (encapsulated) {
    case 1: return descent.ethernet();
    case 18: return wlan(descent, false);
    case 119: return prism(descent);
    case 127: return avs(descent);
    default: return {};
  }
}

Inside inside_capwap(Descent descent) {
  const uint32_t header = descent.u32(0);
  const bool is_wireless = header & 0x100, is_fragment = header & 0x80;
  if (is_fragment && descent.u16(6) >= 8) return {};
  descent.skip((header >> 19 & 31) * 4);
  if (!is_wireless) return descent.ethernet();
  if ((header >> 9 & 31) != 1) return {};
  const bool is_data = (descent.u8(0) & 15) == 8;
  return wlan(descent, !is_data);
}

// By the destination port alone, or by either; where one port is that of several tunnels, the first that fits.
Inside inside_udp(Descent descent, const TunnelPorts& ports) {
  const uint16_t source = descent.u16(0), destination = descent.u16(2);
  const auto is_of = [&](const char* name, uint16_t port) { return std::ranges::count(ports.at(name), port) > 0; };
  const auto to = [&](const char* name) { return is_of(name, destination); };
  const auto between = [&](const char* name) { return is_of(name, source) || is_of(name, destination); };
  descent.skip(8);
  if (to("vxlan") && descent.u8(0) & 8) return descent.skip(8).ethernet();  // with a network id
  if (to("vxlan-gpe") && descent.u8(0) & 8) return inside_gpe(descent);
  if (to("geneve")) return inside_geneve(descent);
  if (between("gtp-u") && is_gtp_packet(descent)) return inside_gtp(descent);
  if (between("teredo")) return inside_teredo(descent);
  if (between("l2tp")) return inside_l2tp(descent);
  if (to("tzsp") && descent.u8(0) == 1 && descent.u8(1) < 2) return inside_tzsp(descent);
  if (between("capwap") && descent.u8(0) == 0) return inside_capwap(descent);
  if (to("gre-udp")) return inside_gre(descent);
  if (to("mpls-udp")) return descent.mpls();
  if (to("lisp")) return descent.skip(8).by_version();
  return {};
}

Inside inside(WalkedFrame& frame, const IpHeader& ip, const TunnelPorts& ports) {
  if (ip.fragment_offset != 0) return {};
  Descent descent(frame, ip.payload_at);
  switch (ip.protocol) {
    case 4: return descent.found(4);
    case 17: return inside_udp(descent, ports);
    case 41: return descent.found(6);
    case 47: return inside_gre(descent);
    case 97: return descent.skip(2).ethernet();
    case 137: return descent.mpls();
    case 143: return descent.ethernet();
    default: return {};
  }
}

std::vector<FoundPacket> packets_from(WalkedFrame& frame, IpHeader ip, int layers, const TunnelPorts& ports);

// Of each part what it holds, or why that is ignored.
std::vector<FoundPacket> packets_of_parts(const SeveralFrames& several, int layers, const TunnelPorts& ports) {
  std::vector<FoundPacket> all;
  for (WalkedFrame part : several.parts) {
    try {
      const IpPlace place = Descent(part, 14).llc();
      const auto some = packets_from(part, read_ip(part, place), layers, ports);
      all.insert(all.end(), some.begin(), some.end());
    } catch (const IgnoredFrame& ignored) {
      all.push_back({part, {}, ignored.reason});
    }
  }
  return all;
}

// The innermost packets that can be read, at most so many layers below `ip`: itself where there are none.
std::vector<FoundPacket> packets_from(WalkedFrame& frame, IpHeader ip, int layers, const TunnelPorts& ports) {
  try {
    while (layers > 0) {
      --layers;
      const Inside place = inside(frame, ip, ports);
      if (!place) break;
      const IpHeader inner = read_ip(frame, *place);  // may throw: `ip` stays
      ip = inner;
    }
  } catch (const IgnoredFrame&) {
  } catch (const SeveralFrames& several) {
    std::vector<FoundPacket> readable;
    for (const FoundPacket& packet : packets_of_parts(several, layers, ports))
      if (!packet.ignored) readable.push_back(packet);
    if (!readable.empty()) return readable;
  }
  return {{frame, ip, {}}};
}

}  // namespace

std::vector<FoundPacket> packets_of(const Frame& captured, bool decapsulate, const TunnelPorts& ports) {
  WalkedFrame frame(captured);
  const int layers = decapsulate ? most_layers : 0;
  try {
    const IpPlace place = find_ip(captured.link, frame);
    return packets_from(frame, read_ip(frame, place), layers, ports);
  } catch (const SeveralFrames& several) {
    return packets_of_parts(several, layers, ports);
  } catch (const IgnoredFrame& ignored) {
    return {{frame, {}, ignored.reason}};
  }
}

}  // namespace reference
