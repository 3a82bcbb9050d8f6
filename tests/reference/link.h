// From a frame to the IP header in it, for every link type that is read.
#pragma once

#include <array>
#include <cstdint>

#include "capture.h"
#include "descent.h"

namespace reference {

// LINKTYPE_ numbers (https://www.tcpdump.org/linktypes.html).
inline constexpr std::array<uint32_t, 40> known_links{
    0,   1,   6,   7,   8,   9,   10,  12,  14,  50,  51,  100, 101, 104, 105, 106, 107, 108, 109, 113,
    117, 119, 127, 129, 163, 178, 192, 197, 226, 228, 229, 239, 242, 258, 274, 276, 281, 282, 284, 285};

bool is_known_link(uint32_t link);

// Throws IgnoredFrame, or SeveralFrames.
IpPlace find_ip(uint32_t link, WalkedFrame& frame);

}  // namespace reference
