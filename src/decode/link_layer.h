// From a frame to the IP header in it: Ethernet with any stack of VLAN tags, MPLS (pseudo-wire Ethernet too), PPPoE and
// LLC/SNAP, Linux cooked v1 and v2, raw IP.
#pragma once

#include <cstdint>

#include "warpmeter/counters.h"
#include "warpmeter/frame.h"

namespace warpmeter {

struct IpPlace {
  int version;           // 4 or 6, as the layer below announces it; 0: no IP here, see `why`
  std::uint32_t offset;  // of the IP header in the frame
  std::uint16_t vlan;    // id of the outermost tag, 0 if untagged
  Ignored why;
};

// Never reads beyond the captured bytes.
IpPlace find_ip(const Frame& frame);

}  // namespace warpmeter
