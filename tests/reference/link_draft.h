// What stands before IP in frames of all link types but Ethernet, with all that is optional in it.
#pragma once

#include "ether_draft.h"

namespace reference {

// The types that announce one version of IP only are wrong about the other. Raw IP has nothing before it.
void put_link_header(std::vector<uint8_t>& out, uint32_t link, const Announced& packet, Random& random);

// 802.11 alone (105) or behind a radio's report (119, 127, 163).
void put_wlan_link(std::vector<uint8_t>& out, uint32_t link, const Announced& packet, Random& random);

// What operating systems and switches write (0, 108, 109, 113, 117, 178, 192, 197, 226, 239, 258, 274, 276,
// 281, 282, 284, 285).
void put_host_link(std::vector<uint8_t>& out, uint32_t link, const Announced& packet, Random& random);

// A number in little or big byte order.
void put_ordered(std::vector<uint8_t>& out, uint64_t value, int count, bool little);

}  // namespace reference
