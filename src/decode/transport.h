// From an IP packet to its Flow Key and Segment: ports, ICMP type and code, the TCP header, the packet's identity.
#pragma once

#include "decode/ip.h"
#include "warpmeter/counters.h"
#include "warpmeter/flow_key.h"
#include "warpmeter/segment.h"

namespace warpmeter {

// Fills all of `key` but the VLAN id, and all of `segment` but time and place.
void read_transport(const IpPacket& packet, FlowKey& key, Segment& segment, DecodeCounters& counters);

}  // namespace warpmeter
