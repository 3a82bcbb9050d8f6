// IEEE 802.11 and the headers that drivers put before it: steps of descend() (layers.h).
#pragma once

#include "decode/layers.h"

namespace warpmeter {

inline constexpr std::uint32_t kSnapHeader = 0xaaaa03;  // IEEE 802.2: both service access points SNAP, unnumbered

Layer wlan(Walk& walk);      // the MAC header of an unprotected data frame, down to LLC
Layer radiotap(Walk& walk);  // radiotap.org
Layer avs(Walk& walk);       // AVS capture header, big endian
Layer prism(Walk& walk);     // Prism's header, or AVS' under Prism's number

}  // namespace warpmeter
