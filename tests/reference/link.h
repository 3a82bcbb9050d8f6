// From a frame to the IP header in it: Ethernet with what may stand before IP there, and the raw IP link types.
#pragma once

#include <cstdint>
#include <optional>

#include "capture.h"

namespace reference {

struct IpPlace {
  int version = 0;               // 4 or 6, as announced by the layer below
  int64_t at = 0;                // offset of the IP header in the frame
  std::optional<uint16_t> vlan;  // outermost VLAN id, 12 bits
};

bool is_known_link(uint32_t link);

// Throws IgnoredFrame.
IpPlace find_ip(const Frame& frame);

}  // namespace reference
