#include "packet/nic/ring/network_interface.h"

#include <gtest/gtest.h>

#include "support/thrown_text.h"
#include "warpmeter/link_type.h"

namespace warpmeter::test {
namespace {

TEST(NetworkInterface, LoopbackIsFoundByItsName) {
  const NetworkInterface lo = find_interface("lo");
  EXPECT_EQ(lo.name, "lo");
  EXPECT_GT(lo.index, 0);
  EXPECT_EQ(lo.link, kLinkEthernet);
  EXPECT_TRUE(lo.is_loopback);
  EXPECT_TRUE(interface_exists(lo.index));
  EXPECT_EQ(lost_by_interface(lo), 0u);
  EXPECT_EQ(lost_by_interface({.name = "nowhere", .index = 1 << 30}), std::nullopt);  // nobody tells: not "none"
}

TEST(NetworkInterface, WhatIsNotThereIsSaidWithWhatIs) {
  for (const std::string name : {"nowhere", "", "lo.with.a.name.that.is.too.long", "l o"}) {
    const std::string text = thrown_text([&] { find_interface(name); });
    EXPECT_TRUE(text.starts_with("there is no network interface " + name)) << text;
    EXPECT_NE(text.find("lo"), std::string::npos) << text;
  }
  EXPECT_FALSE(interface_exists(0x7fffffff));
}

TEST(InterfacePattern, IsToldFromNames) {
  for (const char* const word : {"any", "veth*", "eth?", "eth[0-3]", "*"})
    EXPECT_TRUE(is_interface_pattern(word)) << word;
  for (const char* const word : {"eth0", "anycast0", "veth", ""}) EXPECT_FALSE(is_interface_pattern(word)) << word;
}

TEST(InterfacePattern, MatchesWholeNames) {
  EXPECT_TRUE(InterfacePattern{"veth*"}.matches("veth3"));
  EXPECT_FALSE(InterfacePattern{"veth*"}.matches("myveth3"));
  EXPECT_TRUE(InterfacePattern{"eth[0-3]"}.matches("eth2"));
  EXPECT_FALSE(InterfacePattern{"eth[0-3]"}.matches("eth4"));
  EXPECT_TRUE(InterfacePattern{"any"}.matches("lo"));
}

TEST(InterfacePattern, LeavesOthersTheirs) {
  const InterfacePattern rest{"any", {"eth0", "veth*"}};
  EXPECT_FALSE(rest.matches("eth0"));
  EXPECT_FALSE(rest.matches("veth1"));
  EXPECT_TRUE(rest.matches("eth1"));
}

}  // namespace
}  // namespace warpmeter::test
