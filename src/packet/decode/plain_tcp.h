// The short way through the decoder, which nearly all packets of most captures take: TCP in IPv4 without options or in
// IPv6 without extension headers, no later fragment, well formed, and captured as far as the 20 bytes of TCP header.
// Of such a packet it gives what read_ip() and read_transport() give; any other is theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/byte_order.h"
#include "core/flow_hash.h"
#include "core/segment.h"
#include "packet/decode/transport.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline packet {

inline constexpr std::uint32_t kIp4Header = 20, kIp6Header = 40;

template <int kVersion>
struct PlainTcp {
  const std::uint8_t* ip;  // the header
  std::uint32_t length;    // of the whole packet
  std::uint32_t payload_length;

  const std::uint8_t* tcp() const { return ip + (kVersion == 4 ? kIp4Header : kIp6Header); }  // 20 bytes
  std::uint16_t id() const { return kVersion == 4 ? load_be16(ip + 4) : 0; }
};

namespace plain_tcp_detail {

template <int kVersion>
bool set_lengths(std::uint32_t behind_ip, PlainTcp<kVersion>& p) {
  const std::uint32_t tcp_header = (p.tcp()[12] >> 4) * 4u;
  p.payload_length = behind_ip - tcp_header;
  return tcp_header >= kTcpHeader && tcp_header <= behind_ip;
}

}  // namespace plain_tcp_detail

// Is it one? Then fills `p`. `ip`: where the IP header should be, of which, and what follows, so much was captured.
inline bool read_plain_tcp(const std::uint8_t* ip, std::uint32_t captured, PlainTcp<4>& p) {
  if (captured < kIp4Header + kTcpHeader || ip[0] != 0x45 || ip[9] != kProtocolTcp) return false;
  p.ip = ip;
  p.length = load_be16(ip + 2);
  const bool later_fragment = load_be16(ip + 6) & 0x1fff;
  return !later_fragment && p.length >= kIp4Header && plain_tcp_detail::set_lengths(p.length - kIp4Header, p);
}

inline bool read_plain_tcp(const std::uint8_t* ip, std::uint32_t captured, PlainTcp<6>& p) {
  if (captured < kIp6Header + kTcpHeader || ip[0] >> 4 != 6 || ip[6] != kProtocolTcp) return false;
  p.ip = ip;
  const std::uint32_t behind_ip = load_be16(ip + 4);
  p.length = kIp6Header + behind_ip;
  return plain_tcp_detail::set_lengths(behind_ip, p);
}

// Its Flow Key as it is hashed.
template <int kVersion>
HashedKey hashed_key(const PlainTcp<kVersion>& p, std::uint16_t vlan) {
  const std::uint64_t rest = load<std::uint32_t>(p.tcp()) | std::uint64_t{kProtocolTcp} << 32 |
                             std::uint64_t{byte_swap(vlan)} << 40 | std::uint64_t{kVersion} << 56;
  if constexpr (kVersion == 4) {
    return {load<std::uint32_t>(p.ip + 12), 0, load<std::uint32_t>(p.ip + 16), 0, rest};
  } else {
    return {load<std::uint64_t>(p.ip + 8), load<std::uint64_t>(p.ip + 16), load<std::uint64_t>(p.ip + 24),
            load<std::uint64_t>(p.ip + 32), rest};
  }
}

// As five words, of which an address takes seven bytes of one and the first of the next.
template <int kVersion>
void set_key(const PlainTcp<kVersion>& p, std::uint16_t vlan, FlowKey& key) {
  static_assert(offsetof(FlowKey, source) == 1 && offsetof(FlowKey, destination) == 17);
  static_assert(offsetof(FlowKey, source_port) == 33 && offsetof(FlowKey, destination_port) == 35);
  static_assert(offsetof(FlowKey, protocol) == 37 && offsetof(FlowKey, vlan) == 38);
  const std::uint64_t rest = std::uint64_t{load<std::uint32_t>(p.tcp())} << 8 | std::uint64_t{kProtocolTcp} << 40 |
                             std::uint64_t{byte_swap(vlan)} << 48;
  if constexpr (kVersion == 4) {
    set_key_word(key, 0, 4 | std::uint64_t{load<std::uint32_t>(p.ip + 12)} << 8);
    set_key_word(key, 1, 0);
    set_key_word(key, 2, std::uint64_t{load<std::uint32_t>(p.ip + 16)} << 8);
    set_key_word(key, 3, 0);
    set_key_word(key, 4, rest);
  } else {
    const auto source = load<std::uint64_t>(p.ip + 8), source_end = load<std::uint64_t>(p.ip + 16);
    const auto destination = load<std::uint64_t>(p.ip + 24), destination_end = load<std::uint64_t>(p.ip + 32);
    set_key_word(key, 0, 6 | source << 8);
    set_key_word(key, 1, source >> 56 | source_end << 8);
    set_key_word(key, 2, source_end >> 56 | destination << 8);
    set_key_word(key, 3, destination >> 56 | destination_end << 8);
    set_key_word(key, 4, destination_end >> 56 | rest);
  }
}

namespace plain_tcp_detail {

// Few packets of IPv4 have the id 0: this must not take room in a loop.
[[gnu::noinline, gnu::cold]] inline void set_anonymous4(const std::uint8_t* tcp, std::uint32_t captured,
                                                        const HashSeed& seed, Segment& segment) {
  segment.kind |= kAnonymous;
  if (has_tcp_options(tcp[12])) add_tcp_options(tcp, tcp[12], captured, seed, segment);
}

}  // namespace plain_tcp_detail

// All but time and place. `captured`: of what is behind the IP header. `seed`: of fingerprints.
template <int kVersion>
[[gnu::always_inline]] inline void set_segment(const PlainTcp<kVersion>& p, std::uint32_t captured,
                                               const HashSeed& seed, Segment& segment) {
  const std::uint8_t offset = p.tcp()[12];
  read_tcp_header(p.tcp(), p.id(), segment);
  segment.length = p.length;
  segment.payload_length = p.payload_length;
  segment.kind = kTcpSegment | kHasIdentity;
  if constexpr (kVersion == 6) {
    segment.kind |= kAnonymous;
    if (has_tcp_options(offset)) add_tcp_options(p.tcp(), offset, captured, seed, segment);
  } else if (p.id() == 0) {
    plain_tcp_detail::set_anonymous4(p.tcp(), captured, seed, segment);
  }
}

}  // namespace warpmeter::inline packet
