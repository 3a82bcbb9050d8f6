// Which link types are decoded.
#include "warpmeter/link_type.h"

#include <gtest/gtest.h>

namespace warpmeter::test {
namespace {

TEST(LinkType, RawAndEthernetAndCookedAreKnown) {
  for (const std::uint32_t link : {1u, 12u, 14u, 101u, 113u, 228u, 229u, 276u}) {
    EXPECT_TRUE(is_known_link(link)) << link;
  }
}

TEST(LinkType, WhatIsReservedForUsersIsUnknown) {
  for (const std::uint32_t link : {147u, 162u, 0xffffu, 0x10001u}) EXPECT_FALSE(is_known_link(link)) << link;
}

}  // namespace
}  // namespace warpmeter::test
