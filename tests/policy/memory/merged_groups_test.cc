// Groups belong together where all packets of one come to the other, and no others do.
#include "policy/memory/policy_memory.h"

#include <gtest/gtest.h>

#include "support/policy_text.h"

namespace warpmeter {
namespace {

using Chains = std::vector<std::vector<GroupId>>;

Chains chains(const std::string& text) { return merged_groups(PolicyMemory::load(text)); }

std::string group(int id, const std::string& both, const std::string& rule = "{}") {
  return "[[group]]\nid = " + std::to_string(id) + "\nmatch = " + both + "\nmismatch = " + both + "\nrule = [" + rule +
         "]\n";
}

TEST(MergedGroups, ChainsAreOne) {
  EXPECT_EQ(chains("init.default = 3\n" + group(3, "2") + group(2, "1") + group(1, "'OUT'")), (Chains{{3, 2, 1}}));
  EXPECT_EQ(chains("init.default = 3\n" + group(3, "2", "{ next = 2 }") + group(2, "'DROP'")), (Chains{{3, 2}}));
}

TEST(MergedGroups, BranchesAreNot) {
  EXPECT_EQ(chains("init.default = 1\n[[group]]\nid = 1\nmatch = 2\nrule = [{}]\n" + group(2, "'OUT'")),
            (Chains{{1}, {2}}));
  EXPECT_EQ(chains("init.default = 1\n" + group(1, "2", "{ next = 'OUT' }") + group(2, "'OUT'")), (Chains{{1}, {2}}));
}

TEST(MergedGroups, OtherWaysIntoAGroupPartIt) {
  EXPECT_EQ(chains("init.default = 1\n" + group(1, "2") + group(2, "'OUT'") + "[[init.rule]]\nto = 2\n"),
            (Chains{{1}, {2}}));
  EXPECT_EQ(chains("init.default = 1\n[[group]]\nid = 1\nmatch = 2\nmismatch = 3\nrule = [{}]\n" + group(2, "4") +
                   group(3, "4") + group(4, "5") + group(5, "'OUT'")),
            (Chains{{1}, {3}, {2}, {4, 5}}));
}

TEST(MergedGroups, WhatIsNeverReachedPartsNothing) {
  EXPECT_EQ(chains("init.default = 1\n" + group(1, "2") + group(2, "'OUT'") + group(9, "2")), (Chains{{9}, {1, 2}}));
  EXPECT_EQ(chains(group(1, "2") + group(2, "'OUT'")), (Chains{{1}, {2}})) << "nor is it merged";
}

// Each has patterns of these numbers.
std::string chain_of(const std::string& first, const std::string& rest, std::size_t groups) {
  std::string text = "init.default = 1\n";
  for (std::size_t id = 1; id <= groups; ++id) {
    const std::string to = id == groups ? "'OUT'" : std::to_string(id + 1);
    std::string patterns;
    for (int i = 0; i < 8; ++i) patterns += "'" + (i == 0 ? first : rest) + std::to_string(i) + "', ";
    text += group(static_cast<int>(id), to, "{ payload = [" + patterns + "] }");
  }
  return text;
}

TEST(MergedGroups, ManyPatternsThatBeginWithThePayloadPartThem) {
  EXPECT_EQ(chains(chain_of("^a", "^b", 5)), (Chains{{1, 2}, {3, 4}, {5}}));
  EXPECT_EQ(chains(chain_of("^a", "b", 5)), (Chains{{1, 2, 3, 4, 5}}));
}

TEST(MergedGroups, OfTheTreeNothingButItsChain) {
  EXPECT_EQ(chains(test::kTreePolicy), (Chains{{1}, {2}, {3}, {30}, {20}, {10, 11}}));
}

}  // namespace
}  // namespace warpmeter
