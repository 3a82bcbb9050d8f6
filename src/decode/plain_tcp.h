// The short way through the decoder, which nearly all packets of most captures take: TCP in IPv4 without options or in
// IPv6 without extension headers, no later fragment, well formed, and captured as far as the 20 bytes of TCP header.
// Of such a packet it gives what read_ip() and read_transport() give; any other is theirs.
#pragma once

#include <cstdint>

#include "decode/layers.h"
#include "decode/transport.h"
#include "warpmeter/byte_order.h"
#include "warpmeter/flow_hash.h"
#include "warpmeter/flow_key.h"
#include "warpmeter/frame.h"
#include "warpmeter/segment.h"

namespace warpmeter {

struct PlainTcp {
  const std::uint8_t* ip;   // the header
  const std::uint8_t* tcp;  // 20 bytes
  std::uint32_t length;     // of the whole packet
  std::uint32_t payload_length;
  std::uint16_t id;  // IPv4 id; IPv6: 0
  std::uint8_t version;
};

inline constexpr std::uint32_t kIp4Header = 20, kIp6Header = 40;

namespace plain_tcp_detail {

inline bool set_tcp(std::uint32_t header, PlainTcp& p) {
  p.tcp = p.ip + header;
  const std::uint32_t tcp_header = (p.tcp[12] >> 4) * 4u, behind_ip = p.length - header;
  p.payload_length = behind_ip - tcp_header;
  return tcp_header >= kTcpHeader && tcp_header <= behind_ip;
}

inline bool read_ip4(std::uint32_t captured, PlainTcp& p) {
  if (captured < kIp4Header + kTcpHeader || p.ip[0] != 0x45 || p.ip[9] != kProtocolTcp) return false;
  p.length = load_be16(p.ip + 2);
  p.id = load_be16(p.ip + 4);
  const bool later_fragment = load_be16(p.ip + 6) & 0x1fff;
  return !later_fragment && p.length >= kIp4Header && set_tcp(kIp4Header, p);
}

inline bool read_ip6(std::uint32_t captured, PlainTcp& p) {
  if (captured < kIp6Header + kTcpHeader || p.ip[0] >> 4 != 6 || p.ip[6] != kProtocolTcp) return false;
  p.length = kIp6Header + load_be16(p.ip + 4);
  p.id = 0;
  return set_tcp(kIp6Header, p);
}

}  // namespace plain_tcp_detail

// Is it one? Then fills `p`.
inline bool read_plain_tcp(const Frame& frame, const IpPlace& place, PlainTcp& p) {
  const std::uint32_t captured = frame.captured > place.offset ? frame.captured - place.offset : 0;
  p.ip = frame.data + place.offset;
  p.version = static_cast<std::uint8_t>(place.version);
  if (place.version == 4) return plain_tcp_detail::read_ip4(captured, p);
  return place.version == 6 && plain_tcp_detail::read_ip6(captured, p);
}

// hash_flow() of its Flow Key, which need not be there yet.
inline FlowHash hash_flow(const PlainTcp& p, std::uint16_t vlan, std::uint64_t seed) {
  const std::uint16_t source_port = load_be16(p.tcp), destination_port = load_be16(p.tcp + 2);
  std::uint64_t source, destination;
  if (p.version == 4) {
    source = endpoint_hash(load<std::uint32_t>(p.ip + 12), 0, source_port);
    destination = endpoint_hash(load<std::uint32_t>(p.ip + 16), 0, destination_port);
  } else {
    source = endpoint_hash(load<std::uint64_t>(p.ip + 8), load<std::uint64_t>(p.ip + 16), source_port);
    destination = endpoint_hash(load<std::uint64_t>(p.ip + 24), load<std::uint64_t>(p.ip + 32), destination_port);
  }
  return hash_flow(source, destination, p.version, kProtocolTcp, vlan, seed);
}

inline void set_key(const PlainTcp& p, std::uint16_t vlan, FlowKey& key) {
  key = {};
  key.version = p.version;
  if (p.version == 4) {
    std::memcpy(key.source, p.ip + 12, 4);
    std::memcpy(key.destination, p.ip + 16, 4);
  } else {
    std::memcpy(key.source, p.ip + 8, 16);
    std::memcpy(key.destination, p.ip + 24, 16);
  }
  std::memcpy(key.source_port, p.tcp, 2);
  std::memcpy(key.destination_port, p.tcp + 2, 2);
  key.protocol = kProtocolTcp;
  store_be16(key.vlan, vlan);
}

// All but time and place.
inline void set_segment(const PlainTcp& p, Segment& segment) {
  read_tcp_header(p.tcp, p.id, segment);
  segment.length = p.length;
  segment.payload_length = p.payload_length;
  segment.kind = kTcpSegment | kHasIdentity | (p.id == 0 ? kAnonymous : 0);
}

}  // namespace warpmeter
