#include "packet/decode/transport.h"

#include <algorithm>
#include <cstring>

#include "core/byte_order.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::uint32_t kPair = 16;

// The secrets that make 64 bits of sums, which share none with the sums.
constexpr int kFolds = 20;
static_assert(2 + kMostFingerprinted / 8 + 2 <= kFolds && kFolds + 4 <= HashSeed::kWords);

// Calls `add(first, second)` with the bytes as pairs of words, zeros at the end.
template <class Add>
void each_pair(const std::uint8_t* bytes, std::uint32_t size, const Add& add) {
  for (; size >= kPair; bytes += kPair, size -= kPair) {
    add(load<std::uint64_t>(bytes), load<std::uint64_t>(bytes + 8));
  }
  if (size == 0) return;
  std::uint64_t last[2] = {};
  std::memcpy(last, bytes, size);
  add(last[0], last[1]);
}

}  // namespace

// Two sums of products (hash_seed.h), the second with the same secrets two places on.
Fingerprint fingerprint(const std::uint8_t* bytes, std::uint32_t size, std::uint64_t salt, const HashSeed& seed) {
  const std::uint64_t* w = seed.word;
  Wide a = 0, b = 0;
  const auto add = [&](std::uint64_t first, std::uint64_t second) {
    a += wide_product(first + w[0], second + w[1]);
    b += wide_product(first + w[2], second + w[3]);
    w += 2;
  };
  add(salt ^ std::uint64_t{size} << 56, 0);
  each_pair(bytes, size, add);
  const std::uint64_t* const fold = seed.word + kFolds;
  return {fold_multiply(low_half(a) ^ fold[0], high_half(a) ^ fold[1]),
          fold_multiply(low_half(b) ^ fold[2], high_half(b) ^ fold[3])};
}

// A sum, in which how many bytes are missing has a secret of its own.
std::uint64_t fingerprint_options(const std::uint8_t* options, std::uint32_t size, std::uint32_t whole,
                                  const HashSeed& seed) {
  const std::uint64_t* w = seed.word;
  Wide sum = wide_product(whole - size, seed.word[8]);
  each_pair(options, size, [&](std::uint64_t first, std::uint64_t second) {
    sum += wide_product(first + w[0], second + w[1]);
    w += 2;
  });
  const std::uint64_t* const fold = seed.word + kFolds;
  return fold_multiply(low_half(sum) ^ fold[0], high_half(sum) ^ fold[1]);
}

namespace {

constexpr std::uint32_t kIdentityBytes = 64;
constexpr std::uint32_t kIdentityBytesWithoutChecksum = 128;  // of UDP

bool has_ports(std::uint8_t protocol) {
  return protocol == kProtocolTcp || protocol == kProtocolUdp || protocol == kProtocolDccp ||
         protocol == kProtocolSctp || protocol == kProtocolUdpLite;
}

void set_identity_by_header(const IpPacket& p, const HashSeed& seed, Segment& s) {
  read_tcp_header(p.payload, p.id, s);
  if (s.kind & kAnonymous && has_tcp_options(p.payload[12]))
    add_tcp_options(p.payload, p.payload[12], p.available, seed, s);
  s.kind |= kHasIdentity;
}

// Is all that is compared of this malformed header what would be of a good one with the same bytes? Then they share an
// identity. Of a header that the packet has no room for, nothing else was captured.
bool is_compared_as_good(const IpPacket& p, std::uint32_t header, const Segment& s) {
  return p.available == kTcpHeader || (s.kind & kAnonymous && header > p.payload_length);
}

// How many bytes behind the IP header tell a packet that is no TCP segment. RFC 768: a checksum of 0 is none.
std::uint32_t identity_bytes(const IpPacket& p) {
  if (p.available <= kIdentityBytes) return p.available;
  const bool unchecked = p.protocol == kProtocolUdp && p.fragment_offset == 0 && load_be16(p.payload + 6) == 0;
  return unchecked ? std::min(p.available, kIdentityBytesWithoutChecksum) : kIdentityBytes;
}

// Does the identity of this packet lie in a TCP header? False leaves it to the fingerprint.
bool read_tcp(const IpPacket& p, Segment& s, DecodeCounters& counters, const HashSeed& seed) {
  if (p.available < kTcpHeader) {
    ++counters.short_transport_headers;
    if (p.payload_length >= kTcpHeader) {
      ++(p.on_wire >= kTcpHeader ? counters.uncaptured_tcp_headers : counters.cut_tcp_headers);
    }
    return false;
  }
  const std::uint32_t header = (p.payload[12] >> 4) * 4u;
  if (header < kTcpHeader || header > p.payload_length) {
    ++counters.malformed_segments;
    if (!is_compared_as_good(p, header, s)) return false;
    set_identity_by_header(p, seed, s);
    return true;
  }
  set_identity_by_header(p, seed, s);
  s.kind |= kTcpSegment;
  s.payload_length = p.payload_length - header;
  return true;
}

void set_address(std::uint8_t (&to)[16], const std::uint8_t* from, std::uint8_t version) {
  if (version == 4) {
    std::memcpy(to, from, 4);
    std::memset(to + 4, 0, 12);
  } else {
    std::memcpy(to, from, 16);
  }
}

bool has_types(std::uint8_t protocol) { return protocol == kProtocolIcmp || protocol == kProtocolIcmpV6; }

bool is_later_fragment(const IpPacket& p) { return p.fragment_offset != 0; }

// What the key does not tell of a transport header. Returns whether the identity is set.
bool read_header(const IpPacket& p, Segment& s, DecodeCounters& counters, const HashSeed& seed) {
  if (p.protocol == kProtocolTcp) return read_tcp(p, s, counters, seed);
  const std::uint32_t least = has_ports(p.protocol) ? 4 : has_types(p.protocol) ? 2 : 0;
  if (p.available < least) ++counters.short_transport_headers;
  return false;
}

}  // namespace

// Ports; for ICMP, type and code stand where the destination port would.
void read_flow_key(const IpPacket& p, FlowKey& key) {
  key.version = p.version;
  key.protocol = p.protocol;
  set_address(key.source, p.source, p.version);
  set_address(key.destination, p.destination, p.version);
  if (is_later_fragment(p)) return;
  if (has_ports(p.protocol) && p.available >= 4) {
    std::memcpy(key.source_port, p.payload, 2);
    std::memcpy(key.destination_port, p.payload + 2, 2);
  } else if (has_types(p.protocol) && p.available >= 2) {
    std::memcpy(key.destination_port, p.payload, 2);
  }
}

void read_transport(const IpPacket& p, FlowKey& key, Segment& s, DecodeCounters& counters, const HashSeed& seed) {
  read_flow_key(p, key);
  s.length = p.length;
  s.kind = p.version == 6 || p.id == 0 ? kAnonymous : 0;
  if (!is_later_fragment(p) && read_header(p, s, counters, seed)) return;
  if (p.available == 0) return;
  s.kind |= kHasIdentity;
  const std::uint64_t salt = std::uint64_t{p.id} << 16 | p.fragment_offset;
  const Fingerprint print = fingerprint(p.payload, identity_bytes(p), salt, seed);
  s.identity_a = print.a;
  s.identity_b = static_cast<std::uint32_t>(print.b);
  s.sequence = static_cast<std::uint32_t>(print.b >> 32);
}

}  // namespace warpmeter::inline packet
