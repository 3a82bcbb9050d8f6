// Which link type begins with what.
#include "link.h"

#include <algorithm>

#include "link_layers.h"

namespace reference {
namespace {

// An EtherType `offset` bytes after the frame's begin, and at once what it announces.
IpPlace ethertype_at(Descent descent, int64_t offset) {
  const uint16_t kind = descent.u16(offset);
  return descent.skip(offset + 2).ethertype(kind);
}

IpPlace ip_over_infiniband(Descent descent) {
  const uint16_t kind = descent.u16(40);
  return descent.skip(44).ethertype(kind);
}

}  // namespace

bool is_known_link(uint32_t link) {
  return std::find(known_links.begin(), known_links.end(), link) != known_links.end();
}

IpPlace by_link(uint32_t link, Descent descent) {
  switch (link) {
    case 0:
    case 108: return null(descent);
    case 1: return descent.ethernet();
    case 6: return token_ring(descent);
    case 7: return arcnet(descent);
    case 8: return descent.skip(16).by_version();  // SLIP: direction, compressed header
    case 9:
    case 50: return ppp_hdlc(descent);
    case 10: return fddi(descent);
    case 12:
    case 14:
    case 101: return descent.by_version();
    case 51: return descent.skip(6).ppp();  // PPPoE
    case 100: return descent.llc();
    case 104: return cisco_hdlc(descent);
    case 105: return wlan(descent, false);
    case 106: return atm_clip(descent);
    case 107: return frame_relay(descent);
    case 109: return enc(descent);
    case 113: return cooked(descent);
    case 117: return pflog(descent);
    case 119: return prism(descent);
    case 127: return radiotap(descent);
    case 129: return arcnet_linux(descent);
    case 163: return avs(descent);
    case 178: return juniper_ethernet(descent);
    case 192: return ppi(descent);
    case 197: return erf(descent);
    case 226: return ipnet(descent);
    case 228: return descent.found(4);
    case 229: return descent.found(6);
    case 239: return nflog(descent);
    case 242: return ip_over_infiniband(descent);
    case 258: return pktap(descent);
    case 274: return mpacket(descent);
    case 276: return cooked2(descent);
    case 281:
    case 284: return ethertype_at(descent, 16);   // a switch's tag of 4 bytes behind the addresses
    case 282: return descent.skip(4).ethernet();  // the same before them
    case 285: return ethertype_at(descent, 20);   // one of 8 bytes
    default: not_ip();
  }
}

IpPlace find_ip(uint32_t link, WalkedFrame& frame) { return by_link(link, Descent(frame, 0)); }

}  // namespace reference
