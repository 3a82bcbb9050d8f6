// RFC 791 and RFC 8200 headers, with the lengths of 0 that segmentation offload leaves in captures.
#include "ip_header.h"

#include <algorithm>

namespace reference {
namespace {

Address address(const Bytes& bytes, int64_t at, int64_t size) {
  Address result{};
  const auto part = bytes.slice(at, size);
  std::copy(part.begin(), part.end(), result.begin());
  return result;
}

constexpr uint8_t hop_by_hop = 0, fragment_header = 44, authentication_header = 51, plain_tcp = 6;

// Where all of it was captured and lies in the packet.
void walk_ip4_authentication(const Bytes& b, int64_t packet_end, IpHeader& ip) {
  const int64_t end = std::min(packet_end, b.size());
  while (ip.protocol == authentication_header && ip.fragment_offset == 0 && ip.payload_at + 8 <= end) {
    const int64_t behind = ip.payload_at + (b.u8(ip.payload_at + 1) + 2) * 4;
    if (behind > end) return;
    ip.protocol = b.u8(ip.payload_at);
    ip.payload_at = behind;
  }
}

IpHeader read_ip4(const WalkedFrame& frame, int64_t at) {
  const Bytes& b = frame.bytes;
  b.need(at, 20);
  if (b.u8(at) >> 4 != 4) throw IgnoredFrame{Ignored::bad_version};
  const int64_t header = (b.u8(at) & 15) * 4;
  if (header < 20) throw IgnoredFrame{Ignored::bad_header_length};
  b.need(at, header);
  IpHeader ip;
  ip.version = 4;
  ip.length = b.u16(at + 2);
  if (ip.length == 0) ip.length = frame.original - at;
  if (ip.length < header) throw IgnoredFrame{Ignored::bad_length};
  ip.id = b.u16(at + 4);
  ip.fragment_offset = b.u16(at + 6) & 0x1fff;
  ip.protocol = b.u8(at + 9);
  ip.source = address(b, at + 12, 4);
  ip.destination = address(b, at + 16, 4);
  ip.payload_at = at + header;
  walk_ip4_authentication(b, at + ip.length, ip);
  return ip;
}

bool is_extension(uint8_t next_header) {
  switch (next_header) {
    case 0:
    case 43:
    case 44:
    case 51:
    case 60:
    case 135:
    case 139:
    case 140: return true;
    default: return false;
  }
}

// Among the options of a header.
bool has_jumbo_payload(std::span<const uint8_t> header) {
  for (size_t at = 2; at < header.size();) {
    const uint8_t kind = header[at];
    const size_t size = at + 1 < header.size() ? header[at + 1] : 0;
    if (kind == 0xc2 && size == 4) return true;
    at += kind == 0 ? 1 : 2 + size;  // 0 is one byte of padding
  }
  return false;
}

// Moves ip.payload_at behind the extension headers; ip.protocol becomes what follows them. -> is it a jumbogram?
bool walk_extensions(const Bytes& b, IpHeader& ip) {
  bool jumbo = false;
  while (is_extension(ip.protocol)) {
    const int64_t at = ip.payload_at;
    b.need(at, 8);
    const uint8_t kind = ip.protocol;
    const int64_t units = b.u8(at + 1);
    int64_t size = (units + 1) * 8;
    if (kind == fragment_header) size = 8;
    if (kind == authentication_header) size = (units + 2) * 4;
    b.need(at, size);
    if (kind == hop_by_hop && has_jumbo_payload(b.slice(at, size))) jumbo = true;
    ip.protocol = b.u8(at);
    ip.payload_at += size;
    if (kind == fragment_header) {
      ip.fragment_offset = b.u16(at + 2) >> 3;
      if (ip.fragment_offset != 0) return jumbo;  // what follows is the middle of a packet
    }
  }
  return jumbo;
}

IpHeader read_ip6(const WalkedFrame& frame, int64_t at) {
  const Bytes& b = frame.bytes;
  b.need(at, 40);
  if (b.u8(at) >> 4 != 6) throw IgnoredFrame{Ignored::bad_version};
  IpHeader ip;
  ip.version = 6;
  ip.protocol = b.u8(at + 6);
  const uint8_t next_header = ip.protocol;
  const int64_t behind_header = b.u16(at + 4), frame_behind = frame.original - at - 40;
  ip.source = address(b, at + 8, 16);
  ip.destination = address(b, at + 24, 16);
  ip.payload_at = at + 40;
  const bool jumbo = walk_extensions(b, ip);
  if (behind_header != 0) {
    ip.length = behind_header + 40;
  } else if (ip.protocol == plain_tcp || jumbo || frame_behind > 65535) {
    ip.length = frame_behind + 40;
  } else {  // a header alone
    ip.length = 40;
    ip.protocol = next_header;
    ip.fragment_offset = 0;
    ip.payload_at = at + 40;
  }
  if (at + ip.length < ip.payload_at) throw IgnoredFrame{Ignored::bad_length};
  return ip;
}

}  // namespace

IpHeader read_ip(WalkedFrame& frame, const IpPlace& place) {
  frame.nested = 0;
  IpHeader ip = place.version == 4 ? read_ip4(frame, place.at) : read_ip6(frame, place.at);
  ip.payload_length = place.at + ip.length - ip.payload_at;
  ip.payload_captured = std::clamp<int64_t>(frame.bytes.size() - ip.payload_at, 0, ip.payload_length);
  return ip;
}

}  // namespace reference
