#include "packet/decode/ip.h"

#include <algorithm>

#include "core/byte_order.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline packet {
namespace {

// Sets what both versions share. `length` is what the header says (or 0: all of the frame), `header` what it spans.
bool set_lengths(const Frame& frame, std::uint32_t offset, std::int64_t length, std::uint32_t header, IpPacket& p,
                 Ignored& why) {
  if (length < header) {
    why = Ignored::bad_ip_length;
    return false;
  }
  p.length = static_cast<std::uint32_t>(length);
  p.payload_length = p.length - header;
  p.payload = frame.data + offset + header;
  p.available = std::min(frame.captured - offset - header, p.payload_length);
  const std::uint32_t on_wire = frame.original > offset + header ? frame.original - offset - header : 0;
  p.on_wire = std::max(p.available, std::min(on_wire, p.payload_length));
  return true;
}

constexpr std::uint8_t kAuthenticationHeader = 51;
std::uint32_t authentication_header_bytes(const std::uint8_t* header) { return (header[1] + 2u) * 4; }

// RFC 4302, under IPv4, where all of it is there.
[[gnu::noinline]] void walk_authentication_headers(IpPacket& p) {
  while (p.protocol == kAuthenticationHeader && !p.fragment_offset && p.available >= 8) {
    const std::uint32_t size = authentication_header_bytes(p.payload);
    if (size > p.available) return;
    p.protocol = p.payload[0];
    p.payload += size;
    p.payload_length -= size;
    p.available -= size;
  }
}

bool read_ip4(const Frame& frame, std::uint32_t offset, IpPacket& p, Ignored& why) {
  const std::uint32_t captured = frame.captured > offset ? frame.captured - offset : 0;
  const std::uint8_t* b = frame.data + offset;
  const auto ignore = [&why](Ignored reason) { return why = reason, false; };
  if (captured < 20) return ignore(Ignored::cut_short);
  const std::uint32_t header = (b[0] & 15u) * 4;
  if (b[0] >> 4 != 4) return ignore(Ignored::bad_ip_version);
  if (header < 20) return ignore(Ignored::bad_ip_header_length);
  if (captured < header) return ignore(Ignored::cut_short);
  std::int64_t length = load_be16(b + 2);
  if (length == 0) length = std::int64_t{frame.original} - offset;
  p.version = 4;
  p.protocol = b[9];
  p.source = b + 12;
  p.destination = b + 16;
  p.id = load_be16(b + 4);
  p.fragment_offset = load_be16(b + 6) & 0x1fff;
  if (!set_lengths(frame, offset, length, header, p, why)) return false;
  if (p.protocol == kAuthenticationHeader) walk_authentication_headers(p);
  return true;
}

constexpr std::uint8_t kHopByHop = 0;
constexpr std::uint8_t kFragmentHeader = 44;

constexpr bool is_extension_header(std::uint8_t next) {
  return next == kHopByHop || next == 43 || next == kFragmentHeader || next == kAuthenticationHeader || next == 60 ||
         next == 135 || next == 139 || next == 140;
}

// RFC 2675. `header`: of hop-by-hop options.
bool has_jumbo_payload(const std::uint8_t* header, std::uint32_t size) {
  constexpr std::uint8_t kPad1 = 0, kJumboPayload = 0xc2;
  for (std::uint32_t q = 2; q < size;) {
    const std::uint8_t kind = header[q], bytes = q + 1 < size ? header[q + 1] : 0;
    if (kind == kJumboPayload && bytes == 4) return true;
    q += kind == kPad1 ? 1u : 2u + bytes;
  }
  return false;
}

// Walks the extension headers from `q` on (relative to the IP header). Returns false if they were not captured whole.
[[gnu::noinline]] bool walk_extension_headers(const std::uint8_t* b, std::uint32_t captured, IpPacket& p,
                                              std::uint32_t& q, bool& jumbo) {
  while (is_extension_header(p.protocol)) {
    if (captured < q + 8) return false;
    const std::uint8_t* e = b + q;
    std::uint32_t size = 8;
    if (p.protocol == kFragmentHeader) {
      p.fragment_offset = static_cast<std::uint16_t>(load_be16(e + 2) >> 3);
    } else {
      size = p.protocol == kAuthenticationHeader ? authentication_header_bytes(e) : (e[1] + 1u) * 8;
      if (captured < q + size) return false;
      jumbo = jumbo || (p.protocol == kHopByHop && has_jumbo_payload(e, size));
    }
    p.protocol = e[0];
    q += size;
    if (p.fragment_offset) break;  // what follows in a later fragment is no header
  }
  return true;
}

bool read_ip6(const Frame& frame, std::uint32_t offset, IpPacket& p, Ignored& why) {
  constexpr std::uint32_t kHeader = 40, kMostByHeader = 0xffff;
  const std::uint32_t captured = frame.captured > offset ? frame.captured - offset : 0;
  const std::uint8_t* b = frame.data + offset;
  const auto ignore = [&why](Ignored reason) { return why = reason, false; };
  if (captured < kHeader) return ignore(Ignored::cut_short);
  if (b[0] >> 4 != 6) return ignore(Ignored::bad_ip_version);
  std::int64_t length = load_be16(b + 4);
  p.version = 6;
  p.protocol = b[6];
  p.source = b + 8;
  p.destination = b + 24;
  p.id = 0;
  p.fragment_offset = 0;
  std::uint32_t header = kHeader;
  bool jumbo = false;
  if (is_extension_header(p.protocol) && !walk_extension_headers(b, captured, p, header, jumbo))
    return ignore(Ignored::cut_short);
  if (length > 0) {
    length += kHeader;
  } else if (const std::int64_t rest = std::int64_t{frame.original} - offset;
             p.protocol == kProtocolTcp || jumbo || rest - kHeader > kMostByHeader) {
    length = rest;
  } else {  // nothing is behind the header
    length = header = kHeader;
    p.protocol = b[6];
    p.fragment_offset = 0;
  }
  return set_lengths(frame, offset, length, header, p, why);
}

}  // namespace

bool read_ip(const Frame& frame, int version, std::uint32_t offset, IpPacket& packet, Ignored& why) {
  return version == 4 ? read_ip4(frame, offset, packet, why) : read_ip6(frame, offset, packet, why);
}

}  // namespace warpmeter::inline packet
