// A segment with what it carries, from the short way through the decoder, and from the long one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/byte_order.h"
#include "core/payload_batch.h"
#include "core/policy_batch.h"
#include "packet/decode/ip.h"
#include "packet/decode/plain_tcp.h"

namespace warpmeter::inline packet {

namespace payload_segment_detail {

// What the TCP header tells, and the payload behind it, of which, and the header, so much was captured.
inline void set_from_tcp(const std::uint8_t* tcp, std::uint32_t captured, std::uint32_t payload_length,
                         PayloadSegment& s) {
  const std::uint32_t header = (tcp[12] >> 4) * 4u;
  s.ports = load<std::uint32_t>(tcp);
  s.sequence = load_be32(tcp + 4);
  s.acknowledged = load_be32(tcp + 8);
  s.flags = tcp[13];
  s.payload_length = payload_length;
  s.captured = captured > header ? std::min(captured - header, payload_length) : 0;
  s.data = tcp + header;
}

}  // namespace payload_segment_detail

template <int kVersion>
unsigned shard_of(const PlainTcp<kVersion>& p) {
  if constexpr (kVersion == 4) return shard_of_tcp4(load<std::uint64_t>(p.ip + 12), load<std::uint32_t>(p.tcp()));
  else return shard_of(hashed_key(p, 0));
}

// All but time and place. `captured`: of what is behind the IP header.
template <int kVersion>
[[gnu::always_inline]] inline void set_payload_segment(const PlainTcp<kVersion>& p, std::uint32_t captured,
                                                       const HashSeed& seed, PayloadSegment& s) {
  payload_segment_detail::set_from_tcp(p.tcp(), captured, p.payload_length, s);
  s.version = kVersion;
  if constexpr (kVersion == 4) {
    s.addresses4 = load<std::uint64_t>(p.ip + 12);
    s.hash = hash_ends4(s.addresses4, s.ports, seed);
  } else {
    s.addresses6 = p.ip + 8;
    s.hash = hash_ends6(s.addresses6, s.ports, seed);
  }
}

// REQUIRES: a well-formed TCP header.
inline void set_payload_segment(const IpPacket& p, std::uint32_t payload_length, const HashSeed& seed,
                                PayloadSegment& s) {
  payload_segment_detail::set_from_tcp(p.payload, p.available, payload_length, s);
  s.version = p.version;
  if (p.version == 4) s.addresses4 = load<std::uint64_t>(p.source);
  else s.addresses6 = p.source;
  s.hash = hash_ends(s, seed);
}

inline PacketPayload packet_payload_behind(const std::uint8_t* header, std::uint32_t size, std::uint32_t captured,
                                           std::uint32_t length, std::uint16_t vlan, std::uint16_t in_frame) {
  return {header + size, captured > size ? captured - size : 0, length > size ? length - size : 0, vlan, in_frame};
}

// `captured`: of what is behind the IP header, as above.
template <int kVersion>
PacketPayload packet_payload(const PlainTcp<kVersion>& p, std::uint32_t captured, std::uint16_t vlan) {
  const std::uint32_t header = (p.tcp()[12] >> 4) * 4u;
  const std::uint32_t length = header + p.payload_length;
  return packet_payload_behind(p.tcp(), header, std::min(captured, length), length, vlan, 0);
}

// Of any packet. A later fragment of UDP has no header.
inline PacketPayload packet_payload(const IpPacket& p, const Segment& segment, std::uint16_t vlan,
                                    std::uint16_t in_frame) {
  constexpr std::uint32_t kUdpHeader = 8;
  std::uint32_t header = 0;
  if (is_tcp(segment)) header = (p.payload[12] >> 4) * 4u;
  else if (p.protocol == kProtocolUdp && p.fragment_offset == 0) header = kUdpHeader;
  return packet_payload_behind(p.payload, header, p.available, p.payload_length, vlan, in_frame);
}

}  // namespace warpmeter::inline packet
