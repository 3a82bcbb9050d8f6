// One IP packet through the IP and transport decoders.
#pragma once

#include <stdexcept>

#include "core/identity.h"
#include "packet/decode/ip.h"
#include "packet/decode/transport.h"
#include "support/held_frame.h"

namespace warpmeter::test {

struct DecodedPacket {
  FlowKey key;
  Segment segment;
  DecodeCounters counters;
};

// The first `captured` bytes of `packet`.
inline DecodedPacket decode_packet(const Bytes& packet, std::size_t captured, const HashSeed& seed = 1) {
  const HeldFrame held = HeldFrame::cut(packet, captured, kLinkRaw);
  IpPacket ip{};
  Ignored why{};
  if (!read_ip(held.frame(), packet.at(0) >> 4, 0, ip, why)) throw std::runtime_error("no sound IP header");
  DecodedPacket result;
  read_transport(ip, result.key, result.segment, result.counters, seed);
  return result;
}

inline DecodedPacket decode_packet(const Bytes& packet) { return decode_packet(packet, packet.size()); }

// Rule 1 of section 6, as far as it can be told from two packets.
inline bool same_identity(const DecodedPacket& a, const DecodedPacket& b) {
  const Segment &s = a.segment, &t = b.segment;
  return a.key == b.key && s.length == t.length && s.kind == t.kind && s.sequence == t.sequence && s.flags == t.flags &&
         s.window == t.window && s.identity_a == t.identity_a && s.identity_b == t.identity_b;
}

}  // namespace warpmeter::test
