// From an IP packet to its Flow Key and Segment: ports, ICMP type and code, the TCP header, the packet's identity with
// the fingerprints in it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/byte_order.h"
#include "core/counters.h"
#include "core/hash_seed.h"
#include "core/segment.h"
#include "packet/decode/ip.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline packet {

// Keyed fingerprints of what is compared of a packet and has no room in a Segment. Whoever knows the secret words alone
// can prepare different bytes that share one.
//
// Of a packet that is no TCP segment, 128 bits stand for its first bytes: two that differ share them with a probability
// of about 2^-126 over all seeds. Of a TCP segment without an IP id, 56 bits stand for the options: about 2^-56.
inline constexpr std::uint32_t kMostFingerprinted = 128;

struct Fingerprint {
  std::uint64_t a, b;
};

// Of `size` <= kMostFingerprinted bytes and of `salt` < 2^56, which holds what else belongs to the identity.
Fingerprint fingerprint(const std::uint8_t* bytes, std::uint32_t size, std::uint64_t salt, const HashSeed& seed);

// Of TCP options of `whole` bytes, of which the first `size` were captured: 64 bits, all of them good. Options of
// another `whole`, which the data offset tells apart, may share it.
std::uint64_t fingerprint_options(const std::uint8_t* options, std::uint32_t size, std::uint32_t whole,
                                  const HashSeed& seed);

// The same of 12 bytes, as nearly all options have (time stamps, RFC 7323), all of them captured.
inline constexpr std::uint32_t kTimeStampOptions = 12;
inline std::uint64_t fingerprint_time_stamps(const std::uint8_t* options, const HashSeed& seed) {
  return fold_multiply(load<std::uint64_t>(options) + seed.word[0], load<std::uint32_t>(options + 8) + seed.word[1]);
}

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

// Has this data offset, with the reserved bits, room for them?
inline bool has_tcp_options(std::uint8_t offset) { return offset >= (kTcpHeader / 4 + 1) << 4; }

// Where the IP packet has no id (kAnonymous), options belong to the identity too, as far as captured; `captured`: of
// the whole header. 56 bits of their fingerprint lie over checksum and urgent pointer, and where the id is 0. So
// headers with the same options are still compared without loss, and those with others are alike with a probability of
// about 2^-56, whatever else is chosen with them.
inline void add_tcp_options(const std::uint8_t* tcp, std::uint8_t offset, std::uint32_t captured, const HashSeed& seed,
                            Segment& segment) {
  constexpr std::uint32_t kWithTimeStamps = kTcpHeader + kTimeStampOptions;
  const std::uint8_t* const options = tcp + kTcpHeader;
  std::uint64_t print;
  if ((offset & 0xf0) == kWithTimeStamps / 4 << 4 && captured >= kWithTimeStamps) {
    print = fingerprint_time_stamps(options, seed);
  } else {
    const std::uint32_t header = (offset >> 4) * 4u;
    print = fingerprint_options(options, std::min(header, captured) - kTcpHeader, header - kTcpHeader, seed);
  }
  segment.identity_a ^= print >> 32;
  segment.identity_b ^= static_cast<std::uint32_t>(print) & ~0xffu;
}

// Fills all of `key` but the VLAN id.
void read_flow_key(const IpPacket& packet, FlowKey& key);

// The same, and all of `segment` but time and place. `seed`: of fingerprints.
void read_transport(const IpPacket& packet, FlowKey& key, Segment& segment, DecodeCounters& counters,
                    const HashSeed& seed);

}  // namespace warpmeter::inline packet
