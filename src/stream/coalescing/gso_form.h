// A super-packet as systems pass large packets between themselves and to cards that cut them (GSO, TSO): with what the
// one who cuts it needs to know, and without a checksum, which each of the packets gets then.
//
// Source: Documentation/networking/segmentation-offloads.rst of Linux; virtio 1.2, section 5.1.6.2.
//
// Threads: any, each packet by one.
#pragma once

#include <cstdint>

#include "stream/coalescing/super_packet.h"

namespace warpmeter::inline stream {

struct GsoForm {
  bool is_ip6 = false;
  std::uint16_t headers = 0;  // bytes, from the link header on
  std::uint16_t segment = 0;  // bytes of payload of each packet but the last
  // Where what is summed begins, and where in it the sum goes.
  std::uint16_t checksum_start = 0, checksum_offset = 0;
};

// In place of its checksum TCP has the sum of the pseudo header from now on. REQUIRES: it was made of several packets,
// and `even` (CoalescerOptions).
GsoForm to_gso_form(CoalescedPacket& packet);

}  // namespace warpmeter::inline stream
