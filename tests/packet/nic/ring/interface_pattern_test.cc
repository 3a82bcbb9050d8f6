#include "packet/nic/ring/interface_pattern.h"

#include <gtest/gtest.h>

namespace warpmeter::test {
namespace {

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
