// From a frame to the IP header in it, or those in it, for every link type that is decoded (link_type.h).
#pragma once

#include <utility>

#include "packet/decode/layers.h"
#include "warpmeter/frame.h"
#include "warpmeter/link_type.h"

namespace warpmeter::inline packet {

namespace link_layer_detail {

inline int version_of(std::uint16_t ether_type) { return ether_type == kTypeIp4 ? 4 : ether_type == kTypeIp6 ? 6 : 0; }

inline IpPlace walk_to_ip(const Frame& frame, Annex* annex = nullptr) {
  Walk walk = walk_in(frame);
  walk.annex = annex;
  walk.type = frame.link;
  return descend(walk, Layer::link);
}

}  // namespace link_layer_detail

// Never reads beyond the captured bytes. Most frames of most captures have IP directly behind an Ethernet header or
// behind its one VLAN tag, which is found without a walk.
inline IpPlace find_ip(const Frame& frame) {
  using namespace link_layer_detail;
  constexpr std::uint32_t kTagged = kEthernetHeader + kVlanTag;
  if (frame.link != kLinkEthernet || frame.captured < kTagged) return walk_to_ip(frame);
  const std::uint16_t type = load_be16(frame.data + kEthernetHeader - 2);
  if (const int version = version_of(type)) return {version, kEthernetHeader, 0, Ignored::not_ip};
  if (type == kTypeVlan) {
    const std::uint16_t vlan = load_be16(frame.data + kEthernetHeader) & kVlanId;
    if (const int version = version_of(load_be16(frame.data + kTagged - 2)))
      return {version, kTagged, vlan, Ignored::not_ip, true};
  }
  return walk_to_ip(frame);
}

// Calls `take(frame, place)` for each packet of a frame: most frames have one. An A-MSDU of 802.11 (`place.several`)
// has several MSDUs, and each of them is given as a frame of its own. `place`: from find_ip(), or of the packet in a
// tunnel. `annex`: where the layers of each are noted behind those of the frame, if not null.
template <class Take>
void each_packet(const Frame& frame, const IpPlace& place, const Take& take, Annex* annex = nullptr) {
  if (!place.several) return take(frame, place);
  const Annex of_frame = annex ? *annex : Annex();
  Msdus msdus(frame, place.offset);
  for (Frame msdu; msdus.next(msdu);) {
    if (annex) *annex = of_frame;
    Walk walk = walk_in(msdu);
    walk.annex = annex;
    walk.at = kMsduHeader;
    walk.vlan = place.vlan;
    walk.tagged = place.tagged;
    walk.note(ProtocolSpace::ether_type, 0);  // a length, as of 802.3, and perhaps no LLC behind it
    take(std::as_const(msdu), descend(walk, Layer::llc));
  }
}

}  // namespace warpmeter::inline packet
