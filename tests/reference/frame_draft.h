// From an IP packet to a frame of the wanted link type, and the ways in which frames go wrong.
#pragma once

#include <cstdint>
#include <vector>

#include "ip_draft.h"
#include "reference_random.h"

namespace reference {

struct FrameDraft {
  std::vector<uint8_t> bytes;  // what is captured
  uint32_t original = 0;       // length on the wire
};

// vlan: the id most of the packets of this flow carry, 0 for none.
FrameDraft to_frame(const IpPacket& packet, uint32_t link, uint16_t vlan, Random& random);

// Damages IP and TCP header fields where they are; the packet may stay readable.
void damage_packet(IpPacket& packet, Random& random);

// Loses the end of a frame, or says something else about its length.
void cut_frame(FrameDraft& frame, Random& random);

// Wrong bits anywhere, headers more often than the rest.
void flip_bits(FrameDraft& frame, Random& random);

// ARP, spanning tree, noise, nothing.
FrameDraft frame_without_ip(uint32_t link, Random& random);

}  // namespace reference
