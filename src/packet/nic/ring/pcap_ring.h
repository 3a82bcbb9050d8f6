// The last kind of ring, for where no other can be had: packets that libpcap gives, copied into blocks.
//
// Source: pcap(3PCAP).
//
// Threads: see Ring.
#pragma once

#include <memory>
#include <string>

#include "packet/nic/ring/observation_points.h"
#include "packet/nic/ring/packet_ring.h"

namespace warpmeter::inline packet {

// An interface with one ring, which libpcap fills; of the options all but the filter count, which is for its reader to
// ask. Throws Error: rights are missing, this build has no libpcap.
std::unique_ptr<ObservationPoint> open_pcap_point(const std::string& interface, const PacketRingOptions& options);

}  // namespace warpmeter::inline packet
