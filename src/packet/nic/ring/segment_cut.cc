#include "packet/nic/ring/segment_cut.h"

#include <netinet/in.h>

#include <algorithm>
#include <cstring>

#include "warpmeter/link_type.h"

namespace warpmeter::inline packet {
namespace {

constexpr std::uint32_t kMacAddresses = 12, kIpv6Header = 40, kUdpHeader = 8;
constexpr std::uint8_t kFinAndPush = 0x01 | 0x08, kCwr = 0x80;

std::uint32_t number16(const std::uint8_t* at) { return static_cast<std::uint32_t>(at[0] << 8 | at[1]); }

void put16(std::uint8_t* at, std::uint32_t value) {
  at[0] = static_cast<std::uint8_t>(value >> 8);
  at[1] = static_cast<std::uint8_t>(value);
}

void add_to_number32(std::uint8_t* at, std::uint32_t more) {
  const std::uint32_t sum = (number16(at) << 16 | number16(at + 2)) + more;
  put16(at, sum >> 16);
  put16(at + 2, sum);
}

bool is_tag(std::uint32_t type) { return type == 0x8100 || type == 0x88a8 || type == 0x9100; }

// Where IP begins; none: it is not IP.
std::optional<std::uint32_t> ip_in(const Frame& f) {
  if (f.link == kLinkRaw) return 0;
  if (f.link != kLinkEthernet) return {};
  std::uint32_t at = kMacAddresses;
  while (at + 6 <= f.captured && is_tag(number16(f.data + at))) at += 4;
  if (at + 2 > f.captured || (number16(f.data + at) != 0x0800 && number16(f.data + at) != 0x86dd)) return {};
  return at + 2;
}

struct Transport {
  std::uint32_t at = 0;
  std::uint8_t protocol = 0;
};

std::optional<Transport> behind_ipv4(const Frame& f, std::uint32_t ip) {
  constexpr std::uint32_t kLeast = 20, kFragment = 0x3fff;  // more are to come, or were before
  if (ip + kLeast > f.captured || number16(f.data + ip + 6) & kFragment) return {};
  return Transport{ip + (f.data[ip] & 0xfu) * 4, f.data[ip + 9]};
}

// A packet whose length is in an option (RFC 2675) is none that is cut here: its segments have no such option.
std::optional<Transport> behind_ipv6(const Frame& f, std::uint32_t ip) {
  if (ip + kIpv6Header > f.captured) return {};
  Transport t{ip + kIpv6Header, f.data[ip + 6]};
  if (number16(f.data + ip + 4) == 0 && t.protocol == IPPROTO_HOPOPTS) return {};
  while (t.protocol == IPPROTO_HOPOPTS || t.protocol == IPPROTO_ROUTING || t.protocol == IPPROTO_DSTOPTS) {
    if (t.at + 8 > f.captured) return {};
    t.protocol = f.data[t.at];
    t.at += (f.data[t.at + 1] + 1u) * 8;
  }
  return t;
}

// Bytes; 0: it is not all there.
std::uint32_t transport_header(const Frame& f, std::uint32_t at, bool is_udp) {
  if (is_udp) return kUdpHeader;
  return at + 13 <= f.captured && f.data[at + 12] >> 4 >= 5 ? (f.data[at + 12] >> 4) * 4u : 0;
}

}  // namespace

std::optional<SegmentCut> SegmentCut::of(const Frame& whole, SegmentSize size) {
  const auto ip = ip_in(whole);
  if (!ip || *ip >= whole.captured || size.bytes < kLeastSize) return {};
  const unsigned version = whole.data[*ip] >> 4;
  if (version != 4 && version != 6) return {};
  const auto transport = version == 4 ? behind_ipv4(whole, *ip) : behind_ipv6(whole, *ip);
  if (!transport || transport->protocol != (size.is_udp ? IPPROTO_UDP : IPPROTO_TCP)) return {};
  const std::uint32_t header = transport_header(whole, transport->at, size.is_udp);
  SegmentCut cut;
  cut.is_udp_ = size.is_udp;
  cut.is_ipv6_ = version == 6;
  cut.ip_ = *ip;
  cut.transport_ = transport->at;
  cut.headers_ = transport->at + header;
  cut.size_ = size.bytes;
  if (header == 0 || cut.headers_ > whole.captured || whole.original - cut.headers_ <= cut.size_) return {};
  cut.payload_ = whole.original - cut.headers_;
  return cut;
}

Frame SegmentCut::segment(const Frame& whole, std::uint32_t number, std::uint8_t* to) const {
  const std::uint32_t begin = number * size_, bytes = std::min(size_, payload_ - begin);
  const std::uint32_t there = whole.captured - headers_;
  const std::uint32_t captured = std::min(bytes, there - std::min(begin, there));
  std::memcpy(to, whole.data, headers_);
  if (captured) std::memcpy(to + headers_, whole.data + headers_ + begin, captured);
  if (is_ipv6_) {
    put16(to + ip_ + 4, headers_ - ip_ - kIpv6Header + bytes);
  } else {
    put16(to + ip_ + 2, headers_ - ip_ + bytes);
    put16(to + ip_ + 4, number16(to + ip_ + 4) + number);
  }
  if (is_udp_) {
    put16(to + transport_ + 4, kUdpHeader + bytes);
  } else {
    std::uint8_t& flags = to[transport_ + 13];
    add_to_number32(to + transport_ + 4, begin);
    if (begin + bytes < payload_) flags &= static_cast<std::uint8_t>(~kFinAndPush);
    if (number > 0) flags &= static_cast<std::uint8_t>(~kCwr);
  }
  Frame segment = whole;
  segment.data = to;
  segment.captured = headers_ + captured;
  segment.original = headers_ + bytes;
  return segment;
}

}  // namespace warpmeter::inline packet
