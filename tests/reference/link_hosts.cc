// Formats as https://www.tcpdump.org/linktypes.html describes them. Where a machine writes its own byte order, the one
// that makes sense is taken.
#include <initializer_list>

#include "link_layers.h"

namespace reference {
namespace {

constexpr uint32_t link_ppi = 192, link_pktap = 258;

// `hardware` as in ARPHRD_, `kind` an EtherType or one of Linux' own small numbers.
IpPlace behind_cooked(Descent descent, uint16_t kind, uint16_t hardware) {
  constexpr uint16_t netlink = 824, llc_follows = 4;
  if (hardware == netlink) not_ip();
  if (kind == llc_follows) return descent.llc();
  if (kind <= 1500) not_ip();
  return descent.ethertype(kind);
}

}  // namespace

namespace {

// 0: none of IP's.
int version_of(uint32_t family) {
  switch (family) {
    case 2: return 4;
    case 10:            // Linux
    case 24:            // NetBSD, OpenBSD
    case 28:            // FreeBSD
    case 30: return 6;  // macOS
    default: return 0;
  }
}

int version_in_any_order(const Descent& descent) {
  const int little = version_of(descent.little_u32(0));
  return little != 0 ? little : version_of(descent.u32(0));
}

}  // namespace

IpPlace null(Descent descent) {
  const int version = version_in_any_order(descent);
  const uint16_t kind = descent.u16(2);
  const bool has_ethertype = descent.matches(0, {0x0f, 0x00});
  descent.skip(4);
  if (version != 0) return descent.found(version);
  if (!has_ethertype) not_ip();
  return descent.ethertype(kind);
}

IpPlace enc(Descent descent) {
  const int version = version_in_any_order(descent);
  if (version == 0) not_ip();
  return descent.skip(12).found(version);
}

IpPlace pflog(Descent descent) {
  const int version = version_of(descent.u8(1));
  if (version == 0) not_ip();
  const int64_t length = descent.u8(0);
  return descent.skip((length + 3) / 4 * 4).found(version);
}

IpPlace erf(Descent descent) {
  const uint8_t kind = descent.u8(8);
  descent.skip(16);
  uint32_t link = 0;
  switch (kind & 0x7f) {
    case 1:
    case 10:
    case 15:
    case 19: link = 50; break;  // PPP or HDLC
    case 2:
    case 11:
    case 16:
    case 20: link = 1; break;
    case 22: link = 228; break;
    case 23: link = 229; break;
    default: not_ip();
  }
  for (bool another = kind & 0x80; another; descent.skip(8)) another = descent.u8(0) & 0x80;
  if (link == 1) descent.skip(2);
  return by_link(link, descent);
}

IpPlace cooked(Descent descent) {
  const uint16_t kind = descent.u16(14), hardware = descent.u16(2);
  return behind_cooked(descent.skip(16), kind, hardware);
}

IpPlace cooked2(Descent descent) {
  const uint16_t kind = descent.u16(0), hardware = descent.u16(8);
  return behind_cooked(descent.skip(20), kind, hardware);
}

IpPlace ipnet(Descent descent) {
  const uint8_t family = descent.u8(1);  // Solaris' numbers
  if (family != 2 && family != 26) not_ip();
  return descent.skip(24).found(family == 2 ? 4 : 6);
}

IpPlace nflog(Descent descent) {
  constexpr uint16_t payload = 9, type_bits = 0x7fff, most_types = 255;
  const uint8_t family = descent.u8(0);
  if (family != 2 && family != 10) not_ip();
  descent.skip(4);
  for (;;) {
    uint16_t kind = descent.little_u16(2) & type_bits, length = descent.little_u16(0);
    if (kind > most_types) kind = descent.u16(2) & type_bits, length = descent.u16(0);
    if (kind == payload) return descent.skip(4).found(family == 2 ? 4 : 6);
    if (length < 4) not_ip();
    descent.skip((length + 3) / 4 * 4);
  }
}

IpPlace pktap(Descent descent) {
  constexpr uint32_t packet = 1;
  const uint32_t link = descent.little_u32(8), length = descent.little_u32(0);
  if (descent.little_u32(4) != packet || link == link_pktap) not_ip();
  return by_link(link, descent.skip(length));
}

IpPlace ppi(Descent descent) {
  const uint32_t link = descent.little_u32(4), length = descent.little_u16(2);
  if (link == link_ppi) not_ip();
  return by_link(link, descent.skip(length));
}

IpPlace juniper_ethernet(Descent descent) {
  constexpr uint8_t without_link_header = 2, with_extensions = 0x80;
  descent.u16(1);
  if (!descent.matches(0, {'M', 'G', 'C'})) not_ip();
  const uint8_t flags = descent.u8(3);
  if (flags & without_link_header) not_ip();
  return descent.skip(flags & with_extensions ? 6 + descent.u16(4) : 4).ethernet();
}

IpPlace mpacket(Descent descent) {
  switch (descent.u8(7)) {  // the last byte of the preamble: of a whole frame, or of the first part of one
    case 0xd5:
    case 0xe6:
    case 0x4c:
    case 0x7f:
    case 0xb3: return descent.skip(8).ethernet();
    default: not_ip();
  }
}

}  // namespace reference
