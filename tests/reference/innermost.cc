// RFC 2003 and 4213 (IP in IP), RFC 2784, 2890 and 7637 (GRE), RFC 2637 (PPTP), draft-foschiano-erspan, RFC 7348
// (VXLAN), RFC 8926 (Geneve), 3GPP TS 29.281 (GTP-U), RFC 4380 (Teredo), RFC 2661 (L2TP).
#include "innermost.h"

#include <optional>

#include "descent.h"
#include "link.h"

namespace reference {
namespace {

using Inside = std::optional<IpPlace>;  // none: not a tunnel, or one that carries no packet here

constexpr int most_layers = 8;

// PPTP's version of GRE: a payload only with a sequence number.
Inside inside_pptp(Descent descent, uint16_t flags, uint16_t kind) {
  if (kind != 0x880b || !(flags & 0x1000)) return {};
  const bool acknowledges = flags & 0x0080;
  return descent.skip(12 + 4 * acknowledges).ppp();
}

Inside inside_gre(Descent descent) {
  constexpr uint16_t checksum = 0x8000, routing = 0x4000, key = 0x2000, sequence = 0x1000, version_bits = 7;
  const uint16_t flags = descent.u16(0), kind = descent.u16(2);
  if ((flags & version_bits) == 1) return inside_pptp(descent, flags, kind);
  if (flags & (version_bits | routing)) return {};
  descent.skip(4);
  for (uint16_t optional_word : {checksum, key, sequence})
    if (flags & optional_word) descent.skip(4);
  switch (kind) {
    case 0x6558: return descent.ethernet();                                     // NVGRE
    case 0x88be: return descent.skip(flags & sequence ? 8 : 0).ethernet();      // ERSPAN II, and I without its header
    case 0x22eb: return descent.skip(descent.u8(11) & 1 ? 20 : 12).ethernet();  // ERSPAN III, its subheader
    default: return descent.ethertype(kind);
  }
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

Inside inside_udp(Descent descent) {
  const uint16_t source = descent.u16(0), destination = descent.u16(2);
  const auto between = [&](uint16_t port) { return source == port || destination == port; };
  descent.skip(8);
  if (destination == 4789 && descent.u8(0) & 8) return descent.skip(8).ethernet();  // VXLAN with a network id
  if (destination == 6081) return inside_geneve(descent);
  if (between(2152) && is_gtp_packet(descent)) return inside_gtp(descent);
  if (between(3544)) return inside_teredo(descent);
  if (between(1701)) return inside_l2tp(descent);
  return {};
}

Inside inside(WalkedFrame& frame, const IpHeader& ip) {
  if (ip.fragment_offset != 0) return {};
  Descent descent(frame, ip.payload_at);
  switch (ip.protocol) {
    case 4: return descent.found(4);
    case 17: return inside_udp(descent);
    case 41: return descent.found(6);
    case 47: return inside_gre(descent);
    default: return {};
  }
}

std::vector<FoundPacket> packets_from(WalkedFrame& frame, IpHeader ip, int layers);

// Of each part what it holds, or why that is ignored.
std::vector<FoundPacket> packets_of_parts(const SeveralFrames& several, int layers) {
  std::vector<FoundPacket> all;
  for (WalkedFrame part : several.parts) {
    try {
      const IpPlace place = Descent(part, 14).llc();
      const auto some = packets_from(part, read_ip(part, place), layers);
      all.insert(all.end(), some.begin(), some.end());
    } catch (const IgnoredFrame& ignored) {
      all.push_back({part, {}, ignored.reason});
    }
  }
  return all;
}

// The innermost packets that can be read, at most so many layers below `ip`: itself where there are none.
std::vector<FoundPacket> packets_from(WalkedFrame& frame, IpHeader ip, int layers) {
  try {
    while (layers > 0) {
      --layers;
      const Inside place = inside(frame, ip);
      if (!place) break;
      const IpHeader inner = read_ip(frame, *place);  // may throw: `ip` stays
      ip = inner;
    }
  } catch (const IgnoredFrame&) {
  } catch (const SeveralFrames& several) {
    std::vector<FoundPacket> readable;
    for (const FoundPacket& packet : packets_of_parts(several, layers))
      if (!packet.ignored) readable.push_back(packet);
    if (!readable.empty()) return readable;
  }
  return {{frame, ip, {}}};
}

}  // namespace

std::vector<FoundPacket> packets_of(const Frame& captured, bool decapsulate) {
  WalkedFrame frame(captured);
  const int layers = decapsulate ? most_layers : 0;
  try {
    const IpPlace place = find_ip(captured.link, frame);
    return packets_from(frame, read_ip(frame, place), layers);
  } catch (const SeveralFrames& several) {
    return packets_of_parts(several, layers);
  } catch (const IgnoredFrame& ignored) {
    return {{frame, {}, ignored.reason}};
  }
}

}  // namespace reference
