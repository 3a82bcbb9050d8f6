// The graph between groups, and changes of it that are made whole or not at all.
#include "policy/memory/policy_memory.h"

#include <gtest/gtest.h>

#include "support/policy_text.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::kTreePolicy;
using test::one_rule;
using test::policy_error;
using test::policy_refusal;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

// Groups 1 to n, each followed by the next.
std::string chain(unsigned n, const std::string& last = "\"OUT\"") {
  std::string text = "max_rounds = 65535\n[init]\ndefault = 1\n";
  for (unsigned id = 1; id <= n; ++id) {
    const std::string next = id < n ? std::to_string(id + 1) : last;
    text += "[[group]]\nid=" + std::to_string(id) + "\nmatch=" + next + "\nmismatch=" + next + "\nrule=[{}]\n";
  }
  return text;
}

TEST(PolicyMemory, OrderHasEachBeforeThoseThatFollow) {
  const PolicyMemory memory = PolicyMemory::load(kTreePolicy);
  EXPECT_EQ(memory.order(), (std::vector<GroupId>{1, 2, 3, 30, 20, 10, 11}));
}

TEST(PolicyMemory, LongestPaths) {
  const PolicyMemory memory = PolicyMemory::load(kTreePolicy);
  EXPECT_EQ(memory.longest(),
            (std::map<GroupId, unsigned>{{1, 4}, {2, 3}, {3, 2}, {10, 2}, {11, 1}, {20, 1}, {30, 1}}));
  EXPECT_EQ(memory.longest_path(), 4u);
  EXPECT_EQ(PolicyMemory::load("").longest_path(), 0u);
}

TEST(PolicyMemory, CyclesAreRefused) {
  EXPECT_EQ(policy_refusal(replaced(kTreePolicy, "\"DROP\"", "1")), "cycle: 1 -> 2 -> 3 -> 1");
  EXPECT_EQ(policy_refusal(one_rule("next = 1")), "cycle: 1 -> 1");
  EXPECT_EQ(policy_refusal(one_rule("", "2") + "[[group]]\nid = 2\nmismatch = 1\nrule = [{}]"), "cycle: 1 -> 2 -> 1");
  EXPECT_EQ(policy_refusal("[[group]]\nid = 4\nmatch = 4\nrule = [{}]"), "cycle: 4 -> 4") << "never reached";
}

TEST(PolicyMemory, UnknownGroupsAreRefused) {
  EXPECT_EQ(policy_refusal(one_rule("port = 80", "7")), "group 1: there is no group 7");
  EXPECT_EQ(policy_refusal("[init]\ndefault = 7"), "init: there is no group 7");
  EXPECT_EQ(policy_refusal(one_rule("next = 7")), "group 1: there is no group 7");
}

TEST(PolicyMemory, LongPathsAreRefused) {
  const std::string most = "max_rounds = 3\n";
  EXPECT_EQ(policy_refusal(most + kTreePolicy), "group 1: a path of 4 rounds, max_rounds is 3");
  EXPECT_EQ(policy_refusal(most + replaced(kTreePolicy, "default = 1", "default = 2")), "");
  EXPECT_EQ(policy_refusal(replaced(chain(17), "max_rounds = 65535", "")),
            "group 1: a path of 17 rounds, max_rounds is 16");
  EXPECT_EQ(policy_refusal(replaced(chain(16), "max_rounds = 65535", "")), "");
}

TEST(PolicyMemory, PathsMayBeAsLongAsThereAreGroups) {
  const PolicyMemory memory = PolicyMemory::load(chain(65535));
  EXPECT_EQ(memory.longest_path(), 65535u);
  EXPECT_EQ(memory.order().front(), 1u);
  const std::string cycle = policy_refusal(chain(65535, "1"));
  EXPECT_EQ(cycle.substr(0, 20), "cycle: 1 -> 2 -> 3 -");
  EXPECT_TRUE(cycle.ends_with("-> 16 -> ... -> 65532 -> 65533 -> 65534 -> 65535 -> 1")) << cycle;
}

TEST(PolicyMemory, UnreachableGroups) {
  EXPECT_EQ(PolicyMemory::load(kTreePolicy).unreachable(), std::vector<GroupId>());
  const std::string alone = "[[group]]\nid = 9\nmatch = 8\nrule = [{}]\n[[group]]\nid = 8\nrule = [{}]\n";
  EXPECT_EQ(PolicyMemory::load(one_rule("port = 80") + alone).unreachable(), (std::vector<GroupId>{8, 9}));
  EXPECT_EQ(PolicyMemory::load(one_rule("next = 9") + alone).unreachable(), std::vector<GroupId>());
  EXPECT_EQ(PolicyMemory::load("[[init.rule]]\nto = 9\n" + alone).unreachable(), std::vector<GroupId>());
}

TEST(PolicyMemory, FieldColumnsAreSortedAndOnce) {
  const std::string text = R"([[group]]
id = 1
rule = [{ field = { sni = "tls.sni", host = "tls.sni" } }, { field = { host = "http.host" } }]
)";
  EXPECT_EQ(PolicyMemory::load(text).field_columns(), (std::vector<std::string>{"host", "sni"}));
}

TEST(PolicyMemory, SetInitGoesBefore) {
  PolicyMemory memory = PolicyMemory::load(kTreePolicy);
  memory.set_init("port = 1", 30);
  memory.set_init("src = '10.0.0.1'", kDrop);
  ASSERT_EQ(memory.init().size(), 2u);
  EXPECT_EQ(memory.init()[0].to, kDrop);
  EXPECT_EQ(memory.init()[1].to, 30u);
  EXPECT_EQ(memory.init()[1].conditions.port, (std::vector<ValueRange>{{1, 1}}));
  const std::vector<InitRule> before = memory.init();
  EXPECT_EQ(policy_error([&] { memory.set_init("port = 1", 99); }), "init: there is no group 99");
  EXPECT_EQ(policy_error([&] { memory.set_init("payload = 'x'", 30); }), "set_init: unknown key payload (line 1)");
  EXPECT_EQ(policy_error([&] { memory.set_init("port", 30); }).substr(0, 6), "TOML: ");
  EXPECT_EQ(memory.init(), before);
}

TEST(PolicyMemory, SetMemoryReplacesOneGroup) {
  PolicyMemory memory = PolicyMemory::load(kTreePolicy);
  memory.set_memory(10, "[[rule]]\npayload = 'POST'\nnext = 'tcp21'", kOut, kDrop);
  const Group& group = memory.groups().at(10);
  EXPECT_EQ(group.rules.at(0).payload, std::vector<std::string>{"POST"});
  EXPECT_EQ(group.rules.at(0).next, 2u);
  EXPECT_EQ(group.match, kOut);
  EXPECT_EQ(group.mismatch, kDrop);
  EXPECT_EQ(group.name, "10");
  memory.set_memory(12, "name = 'new'\nmode = 'all'\n[[rule]]\n[[rule]]\nport = 1", 11, kOut);
  EXPECT_EQ(memory.groups().at(12).name, "new");
  EXPECT_EQ(memory.groups().at(12).mode, GroupMode::all);
  EXPECT_EQ(memory.groups().at(12).rules.size(), 2u);
}

TEST(PolicyMemory, SetMemoryIsAllOrNothing) {
  PolicyMemory memory = PolicyMemory::load(kTreePolicy);
  const std::map<GroupId, Group> before = memory.groups();
  EXPECT_EQ(policy_error([&] { memory.set_memory(10, "[[rule]]", 1, kOut); }), "cycle: 1 -> 10 -> 1");
  EXPECT_EQ(policy_error([&] { memory.set_memory(12, "[[rule]]", 99, kOut); }), "group 12: there is no group 99");
  EXPECT_EQ(policy_error([&] { memory.set_memory(12, "", kOut, kOut); }), "group 12: no rules (line 1)");
  EXPECT_EQ(policy_error([&] { memory.set_memory(12, "name = 'tcp80'\n[[rule]]", kOut, kOut); }),
            "group name tcp80: there are two");
  EXPECT_EQ(policy_error([&] { memory.set_memory(12, "[[rule]]\npayload = 'a*'", kOut, kOut); }),
            "group 12 rule 1: pattern 'a*': matches the empty string (line 2)");
  EXPECT_EQ(policy_error([&] { memory.set_memory(0, "[[rule]]", kOut, kOut); }), "group: id is 1 to 65535");
  EXPECT_EQ(policy_error([&] { memory.set_memory(kDrop, "[[rule]]", kOut, kOut); }), "group: id is 1 to 65535");
  EXPECT_EQ(memory.groups(), before);
}

TEST(PolicyMemory, FilesAreReadOrAnErrorSaysWhy) {
  const test::ScratchFolder folder;
  const std::string file = folder.path() + "/tree.toml";
  test::write_file(file, std::string(kTreePolicy));
  EXPECT_EQ(PolicyMemory::load_file(file).groups().size(), 7u);
  EXPECT_EQ(test::thrown_text([] { PolicyMemory::load_file("/nowhere.toml"); }),
            "/nowhere.toml: cannot be read: No such file or directory");
  EXPECT_EQ(test::thrown_text([] { PolicyMemory::load_file("/"); }), "/: cannot be read: Is a directory");
  EXPECT_EQ(policy_error([] { PolicyMemory::load_file("/dev/zero"); }), "more than 8 MiB");
}

TEST(PolicyMemory, GroupWords) {
  EXPECT_EQ(group_word(kOut), "OUT");
  EXPECT_EQ(group_word(kDrop), "DROP");
  EXPECT_EQ(group_word(65535), "65535");
}

}  // namespace
}  // namespace warpmeter
