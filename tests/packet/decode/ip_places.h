// Where the IP header of a frame is found, and why not.
#pragma once

#include <gtest/gtest.h>

#include "packet/decode/link_layer.h"
#include "support/held_frame.h"
#include "support/packets.h"

namespace warpmeter::test {

inline const Bytes kIp4 = ip4({}, tcp({}));
inline const Bytes kIp6 = ip6({}, tcp({}));

inline void expect_ip(const Bytes& bytes, std::uint16_t link, int version, std::uint32_t offset,
                      std::uint16_t vlan = 0) {
  const IpPlace place = find_ip(HeldFrame(bytes, link).frame());
  EXPECT_EQ(place.version, version);
  EXPECT_EQ(place.offset, offset);
  EXPECT_EQ(place.vlan, vlan);
}

inline void expect_none(const Bytes& bytes, Ignored why, std::uint16_t link = kLinkEthernet) {
  const IpPlace place = find_ip(HeldFrame(bytes, link).frame());
  EXPECT_EQ(place.version, 0);
  EXPECT_EQ(place.why, why) << kIgnoredNames[static_cast<int>(place.why)];
}

}  // namespace warpmeter::test
