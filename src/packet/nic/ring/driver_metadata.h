// XDP programs and the driver of an interface: whether it runs one, and what it tells one of a frame besides its bytes.
//
// Source: Documentation/networking/xdp-rx-metadata.rst and Documentation/netlink/specs/netdev.yaml of Linux.
//
// Threads: any.
#pragma once

#include "packet/nic/ring/network_interface.h"

namespace warpmeter::inline packet {

// The VLAN tag that is beside the frame, not in it: the driver can, and so can the kernel (Linux 6.8, where it tells
// its types). False also where nobody tells.
bool tells_vlan_tag(const NetworkInterface& interface);

// It runs one, be it a driver's or the kernel's own way to.
bool runs_xdp_program(const NetworkInterface& interface);

}  // namespace warpmeter::inline packet
