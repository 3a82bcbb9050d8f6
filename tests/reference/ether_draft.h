// Ethernet headers, and the pieces of them that other link types and tunnels write too.
#pragma once

#include <cstdint>
#include <vector>

#include "ip_draft.h"
#include "reference_random.h"

namespace reference {

// Of the packet that a header announces.
struct Announced {
  bool ip6 = false;
  uint32_t length = 0;  // on the wire

  uint64_t ethertype() const { return ip6 ? 0x86dd : 0x0800; }
};

Announced announced(const IpPacket& packet);

// Addresses, tags, announcement; `vlan` as for to_frame.
void put_ethernet(std::vector<uint8_t>& out, const Announced& packet, uint16_t vlan, Random& random);

// Ethernet inside of something else: tagged, or with a long announcement, more often than a frame of its own.
void put_inner_ethernet(std::vector<uint8_t>& out, const Announced& packet, Random& random);

void put_mac_addresses(std::vector<uint8_t>& out, Random& random);
void put_tags(std::vector<uint8_t>& out, uint16_t vlan, Random& random);

// What stands between the VLAN tags and IP: an EtherType, or something longer where `way` is below 6. 2 bytes at least.
void put_announcement(std::vector<uint8_t>& out, const Announced& packet, uint64_t way, Random& random);

void put_snap(std::vector<uint8_t>& out, const Announced& packet);
void put_ppp(std::vector<uint8_t>& out, const Announced& packet, Random& random);

// Bytes that mean nothing.
void put_filler(std::vector<uint8_t>& out, uint64_t count, Random& random);

}  // namespace reference
