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

IpHeader read_ip4(const Frame& frame, int64_t at) {
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

constexpr uint8_t fragment_header = 44, authentication_header = 51, no_next_header = 59;

// Moves ip.payload_at behind the extension headers; ip.protocol becomes what follows them.
void walk_extensions(const Bytes& b, IpHeader& ip) {
  while (is_extension(ip.protocol)) {
    const int64_t at = ip.payload_at;
    b.need(at, 8);
    const uint8_t kind = ip.protocol;
    const int64_t units = b.u8(at + 1);
    int64_t size = (units + 1) * 8;
    if (kind == fragment_header) size = 8;
    if (kind == authentication_header) size = (units + 2) * 4;
    b.need(at, size);
    ip.protocol = b.u8(at);
    ip.payload_at += size;
    if (kind == fragment_header) {
      ip.fragment_offset = b.u16(at + 2) >> 3;
      if (ip.fragment_offset != 0) return;  // what follows is the middle of a packet
    }
  }
}

IpHeader read_ip6(const Frame& frame, int64_t at) {
  const Bytes& b = frame.bytes;
  b.need(at, 40);
  if (b.u8(at) >> 4 != 6) throw IgnoredFrame{Ignored::bad_version};
  IpHeader ip;
  ip.version = 6;
  ip.protocol = b.u8(at + 6);
  const int64_t behind_header = b.u16(at + 4);
  ip.length = behind_header == 0 && ip.protocol != no_next_header ? frame.original - at : behind_header + 40;
  ip.source = address(b, at + 8, 16);
  ip.destination = address(b, at + 24, 16);
  ip.payload_at = at + 40;
  walk_extensions(b, ip);
  if (at + ip.length < ip.payload_at) throw IgnoredFrame{Ignored::bad_length};
  return ip;
}

}  // namespace

IpHeader read_ip(const Frame& frame, const IpPlace& place) {
  IpHeader ip = place.version == 4 ? read_ip4(frame, place.at) : read_ip6(frame, place.at);
  ip.payload_length = place.at + ip.length - ip.payload_at;
  ip.payload_captured = std::clamp<int64_t>(frame.bytes.size() - ip.payload_at, 0, ip.payload_length);
  return ip;
}

}  // namespace reference
