// From a frame to the IP header in it, for every link type that is decoded (link_type.h).
#pragma once

#include "decode/layers.h"
#include "warpmeter/frame.h"
#include "warpmeter/link_type.h"

namespace warpmeter {

// Most frames of most captures, found without a walk: IP directly behind an Ethernet header. Elsewhere version 0.
inline int version_behind_ethernet(const Frame& frame) {
  if (frame.link != kLinkEthernet || frame.captured < kEthernetHeader) return 0;
  switch (load_be16(frame.data + kEthernetHeader - 2)) {
    case kTypeIp4: return 4;
    case kTypeIp6: return 6;
    default: return 0;
  }
}

// Never reads beyond the captured bytes.
inline IpPlace find_ip(const Frame& frame) {
  if (const int version = version_behind_ethernet(frame)) return {version, kEthernetHeader, 0, Ignored::not_ip};
  return descend({.data = frame.data, .size = frame.captured, .type = frame.link}, Layer::link);
}

}  // namespace warpmeter
