// Conditions that never hold, or always hold, are told, and nothing else is.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "policy/memory/policy_memory.h"
#include "support/policy_text.h"

namespace warpmeter {
namespace {

using Lines = std::vector<std::string>;

// The rule is in line 7.
Lines remarks_on(const std::string& rule) { return PolicyMemory::load(test::one_rule(rule)).remarks(); }

TEST(IdleConditions, NumbersThatNoPacketHas) {
  const std::pair<const char*, const char*> cases[] = {
      {"port = 70000", "port 70000 never holds: it is 0 to 65535"},
      {"src_port = '70000-'", "src_port '70000-' never holds: it is 0 to 65535"},
      {"dst_port = [80, 65536]", "dst_port 65536 never holds: it is 0 to 65535"},
      {"vlan = 5000", "vlan 5000 never holds: it is 0 to 4095"},
      {"nth = 0", "nth 0 never holds: 1 is the least"},
      {"length = '0-19'", "length '0-19' never holds: it is 20 to 4294967295"},
      {"payload_length = 70000",
       "payload_length 70000 holds only for packets that a card cuts later: no IP header tells more than "
       "65535"},
      {"length = 65576",
       "length 65576 holds only for packets that a card cuts later: no IP header tells more than 65575"}};
  for (const auto& [rule, remark] : cases) {
    EXPECT_EQ(remarks_on(rule), Lines{std::string("group 1 rule 1: ") + remark + " (line 7)"}) << rule;
  }
}

TEST(IdleConditions, NumbersThatEveryPacketHas) {
  for (const std::string& key : {"src_port", "dst_port", "port", "vlan", "length", "payload_length"}) {
    EXPECT_EQ(remarks_on(key + " = '0-'"), Lines{"group 1 rule 1: " + key + " '0-' always holds (line 7)"});
  }
  EXPECT_EQ(remarks_on("port = '0-65535'"), Lines{"group 1 rule 1: port '0-65535' always holds (line 7)"});
  EXPECT_EQ(remarks_on("nth = '1-'"), Lines{"group 1 rule 1: nth '1-' always holds (line 7)"});
}

TEST(IdleConditions, EmptyLists) {
  for (const std::string& key :
       {"src", "dst", "src_port", "dst_port", "port", "vlan", "length", "payload_length", "nth"}) {
    EXPECT_EQ(remarks_on(key + " = []"), Lines{"group 1 rule 1: " + key + ": an empty list never holds (line 7)"});
  }
  for (const std::string& key : {"protocol", "payload", "stream", "label_is", "label_is_not"}) {
    EXPECT_EQ(remarks_on(key + " = []"), Lines{"group 1 rule 1: " + key + ": an empty list is no condition (line 7)"});
  }
}

TEST(IdleConditions, FlagsThatNoPacketHas) {
  EXPECT_EQ(remarks_on("flags = 'SA'\nnot_flags = 'A'"),
            Lines{"group 1 rule 1: flags and not_flags: they never hold together (line 7)"});
  EXPECT_EQ(remarks_on("not_flags = 'R'\nprotocol = ['udp', 1]"),
            Lines{"group 1 rule 1: not_flags never holds: the protocol is not tcp (line 7)"});
  EXPECT_EQ(remarks_on("flags = 'S'\nnot_flags = 'A'\nprotocol = ['udp', 6]"), Lines());
}

// A group does not see what it sets itself: no packet comes to it twice.
TEST(IdleConditions, LabelsThatNoOtherGroupSets) {
  const auto remarks = [](const std::string& condition, const std::string& first, const std::string& second) {
    return PolicyMemory::load("[[group]]\nid = 1\nmatch = 2\nrule = [{ " + first +
                              " }]\n[[group]]\nid = 2\nrule = [{ " + condition + second + " }]\n")
        .remarks();
  };
  EXPECT_EQ(remarks("label_is = 'a'", "label = ['b', 'a']", ", label = 'a'"), Lines());
  EXPECT_EQ(remarks("label_is = ['b', 'a']", "label = 'b'", ", label = 'a'"),
            Lines{"group 2 rule 1: label_is a never holds: no other group sets that label (line 7)"});
  EXPECT_EQ(remarks("label_is_not = 'a'", "", ""),
            Lines{"group 2 rule 1: label_is_not a always holds: no other group sets that label (line 7)"});
}

TEST(IdleConditions, OfInitRules) {
  EXPECT_EQ(PolicyMemory::load("[[init.rule]]\nport = 1\nto = 'OUT'\n[[init.rule]]\nvlan = []\nto = 'OUT'").remarks(),
            Lines{"init rule 2: vlan: an empty list never holds (line 5)"});
}

TEST(IdleConditions, OfVeryManyTheFirstAreTold) {
  std::string ports = "port = [";
  for (int i = 0; i < 120; ++i) ports += "70000, ";
  const Lines told = remarks_on(ports + "]");
  ASSERT_EQ(told.size(), 21u);
  EXPECT_EQ(told.back(), "and 100 more conditions that never or always hold");
}

TEST(IdleConditions, GoodPoliciesHaveNone) {
  EXPECT_EQ(PolicyMemory::load_file("stock").remarks(), Lines());
  EXPECT_EQ(PolicyMemory::load(test::kTreePolicy).remarks(), Lines());
  EXPECT_EQ(
      remarks_on("port = ['1-', 0]\nvlan = 4095\nnth = '0-9'\nlength = 20\npayload_length = '0-65535'\nflags = ''\n"
                 "src = '0.0.0.0/0'"),
      Lines());
}

}  // namespace
}  // namespace warpmeter
