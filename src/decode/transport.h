// From an IP packet to its Flow Key and Segment: ports, ICMP type and code, the TCP header, the packet's identity.
#pragma once

#include "core/byte_order.h"
#include "core/counters.h"
#include "core/hash_seed.h"
#include "core/segment.h"
#include "decode/ip.h"
#include "warpmeter/flow_key.h"

namespace warpmeter {

inline constexpr std::uint32_t kTcpHeader = 20;

// RFC 9293 section 3.1: these 20 bytes, as fields of the segment and, for the rest, as its identity. `id` is that of
// the IP packet.
inline void read_tcp_header(const std::uint8_t* tcp, std::uint16_t id, Segment& segment) {
  segment.sequence = load_be32(tcp + 4);
  segment.flags = tcp[13];
  segment.window = load_be16(tcp + 14);
  // Acknowledgement, checksum, urgent pointer; id, data offset and reserved bits.
  segment.identity_a = std::uint64_t{load_be32(tcp + 8)} << 32 | load_be32(tcp + 16);
  segment.identity_b = std::uint32_t{id} << 8 | tcp[12];
}

// Fills all of `key` but the VLAN id, and all of `segment` but time and place. `seed`: of fingerprints.
void read_transport(const IpPacket& packet, FlowKey& key, Segment& segment, DecodeCounters& counters,
                    const HashSeed& seed);

}  // namespace warpmeter
