// A packet socket that sends frames out of an interface, with a virtio_net_hdr before each, and gets none. What is to
// be cut, the interface cuts, or the kernel before it: no frame that is longer than the wire allows leaves it.
//
// Source: packet(7), PACKET_VNET_HDR.
//
// Threads: any.
#pragma once

#include "base/files/descriptor.h"
#include "packet/nic/ring/network_interface.h"

namespace warpmeter::inline packet {

// For a FrameWriter: it does not block. Throws Error.
Descriptor open_wire_socket(const NetworkInterface& interface);

// Whoever forwards what comes in by an interface claims it first: it is his in this network namespace until the socket
// is closed, or its process ends. Throws Error, also where it is claimed already.
Descriptor claim_wire(const NetworkInterface& interface);

}  // namespace warpmeter::inline packet
