// IEEE 802.11 and the headers that drivers put before it: steps of descend() (layers.h); the MSDUs of an A-MSDU.
#pragma once

#include "packet/decode/layers.h"

namespace warpmeter::inline packet {

inline constexpr std::uint32_t kSnapHeader = 0xaaaa03;  // IEEE 802.2: both service access points SNAP, unnumbered

// The MAC header of an unprotected data frame, down to LLC, or to the MSDUs of an A-MSDU.
Layer wlan(Walk& walk, bool swapped);
Layer radiotap(Walk& walk);  // radiotap.org
Layer avs(Walk& walk);       // AVS capture header, big endian
Layer prism(Walk& walk);     // Prism's header, or AVS' under Prism's number

// Two MAC addresses and a length; LLC follows.
inline constexpr std::uint32_t kMsduHeader = 14;

// The MSDUs of an A-MSDU, as far as their headers were captured, each as a frame of its own length. They do not
// overlap.
class Msdus {
 public:
  // `at`: where the first begins in `frame`.
  Msdus(const Frame& frame, std::uint32_t at) : frame_(frame), at_(at) {}

  bool next(Frame& msdu);

 private:
  const Frame& frame_;
  std::uint32_t at_;
};

}  // namespace warpmeter::inline packet
