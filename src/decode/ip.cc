#include "decode/ip.h"

#include <algorithm>

#include "core/byte_order.h"

namespace warpmeter {
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
  return true;
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
  return set_lengths(frame, offset, length, header, p, why);
}

constexpr std::uint8_t kFragmentHeader = 44;
constexpr std::uint8_t kAuthenticationHeader = 51;
constexpr std::uint8_t kNoNextHeader = 59;

constexpr bool is_extension_header(std::uint8_t next) {
  return next == 0 || next == 43 || next == kFragmentHeader || next == kAuthenticationHeader || next == 60 ||
         next == 135 || next == 139 || next == 140;
}

// Walks the extension headers from `q` on (relative to the IP header). Returns false if they were not captured whole.
bool walk_extension_headers(const std::uint8_t* b, std::uint32_t captured, IpPacket& p, std::uint32_t& q) {
  while (is_extension_header(p.protocol)) {
    if (captured < q + 8) return false;
    const std::uint8_t* e = b + q;
    std::uint32_t size = 8;
    if (p.protocol == kFragmentHeader) {
      p.fragment_offset = static_cast<std::uint16_t>(load_be16(e + 2) >> 3);
    } else {
      size = p.protocol == kAuthenticationHeader ? (e[1] + 2u) * 4 : (e[1] + 1u) * 8;
      if (captured < q + size) return false;
    }
    p.protocol = e[0];
    q += size;
    if (p.fragment_offset) break;  // what follows in a later fragment is no header
  }
  return true;
}

bool read_ip6(const Frame& frame, std::uint32_t offset, IpPacket& p, Ignored& why) {
  const std::uint32_t captured = frame.captured > offset ? frame.captured - offset : 0;
  const std::uint8_t* b = frame.data + offset;
  const auto ignore = [&why](Ignored reason) { return why = reason, false; };
  if (captured < 40) return ignore(Ignored::cut_short);
  if (b[0] >> 4 != 6) return ignore(Ignored::bad_ip_version);
  std::int64_t length = load_be16(b + 4);
  p.version = 6;
  p.protocol = b[6];
  p.source = b + 8;
  p.destination = b + 24;
  p.id = 0;
  p.fragment_offset = 0;
  length = length || p.protocol == kNoNextHeader ? length + 40 : std::int64_t{frame.original} - offset;
  std::uint32_t header = 40;
  if (!walk_extension_headers(b, captured, p, header)) return ignore(Ignored::cut_short);
  return set_lengths(frame, offset, length, header, p, why);
}

}  // namespace

bool read_ip(const Frame& frame, int version, std::uint32_t offset, IpPacket& packet, Ignored& why) {
  return version == 4 ? read_ip4(frame, offset, packet, why) : read_ip6(frame, offset, packet, why);
}

}  // namespace warpmeter
