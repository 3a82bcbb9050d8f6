// Where a long capture filter is taken apart, and where not.
#include "packet/decode/packet_filter.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

using Parts = std::vector<std::string>;

TEST(FilterParts, AlternativesAreTakenApart) {
  EXPECT_EQ(filter_parts("host a or host b||net c", 1), (Parts{"host a", "host b", "net c"}));
  EXPECT_EQ(filter_parts("host a or host b or host c", 17), (Parts{"host a or host b", "host c"}));
  EXPECT_EQ(filter_parts("host a or host b or host c", 100), (Parts{"host a or host b or host c"}));
  EXPECT_EQ(filter_parts("(tcp and port 1) or not udp or tcp[13] & 2 != 0", 1),
            (Parts{"(tcp and port 1) or not udp", "tcp[13] & 2 != 0"}));
}

// What comes behind them means something else alone.
TEST(FilterParts, WhatHangsTogetherStaysTogether) {
  EXPECT_EQ(filter_parts("host a or b or host c or d", 1), (Parts{"host a or b", "host c or d"}));
  EXPECT_EQ(filter_parts("src or dst host a or src and dst net b", 1).size(), 1u);
  EXPECT_EQ(filter_parts("src or dst host a or port http or https", 1),
            (Parts{"src or dst host a", "port http or https"}));
  for (const char* const whole : {"host a or host b and tcp", "host a or host b && tcp", "tcp and (host a or host b)",
                                  "vlan 3 or host a or host b", "host a or (vlan and host b) or host c", "host a or",
                                  "or host a", "", "or", "tcp port http or https"}) {
    EXPECT_EQ(filter_parts(whole, 1), Parts{whole}) << whole;
  }
}

}  // namespace
}  // namespace warpmeter
