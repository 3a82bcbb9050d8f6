// The graph between groups, and changes of it that are made whole or not at all.
#include "policy/memory/policy_memory.h"

#include <gtest/gtest.h>

#include "policy/memory/policy_file.h"
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
  memory.set_init("[[init.rule]]\nport = 1\nto = 30");
  memory.set_init("[[init.rule]]\nname = 'of one'\nsrc = '10.0.0.1'\nto = 'DROP'");
  ASSERT_EQ(memory.init().size(), 2u);
  EXPECT_EQ(memory.init()[0].to, kDrop);
  EXPECT_EQ(memory.init()[1].to, 30u);
  EXPECT_EQ(memory.init()[1].conditions.port, (std::vector<ValueRange>{{1, 1}}));
  const std::vector<InitRule> before = memory.init();
  const auto refusal = [&](const char* text) { return policy_error([&] { memory.set_init(text); }); };
  EXPECT_EQ(refusal("[[init.rule]]\nto = 'tcp80'\npayload = 'x'"), "init rule 1: unknown key payload (line 3)");
  EXPECT_EQ(refusal("[[init.rule]]\nto = 99"), "init: there is no group 99");
  EXPECT_EQ(refusal("[[init.rule]]\nto = 'tcp99'"), "init rule 1: there is no group tcp99 (line 2)");
  EXPECT_EQ(refusal("[[init.rule]]\nto"), "TOML: Error while parsing key-value pair: encountered end-of-file (line 2)");
  EXPECT_EQ(refusal("[[init.rule]]\nto = 1\n[[group]]\nid = 4\nrule = [{}]"), "unknown key group (line 3)");
  const std::string one = "one [[init.rule]] is set at a time";
  EXPECT_EQ(refusal(""), one);
  EXPECT_EQ(refusal("[[init.rule]]\nto = 1\n[[init.rule]]\nto = 2"), one);
  EXPECT_EQ(refusal("[init]\ndefault = 1\n[[init.rule]]\nto = 2"), one);
  EXPECT_EQ(memory.init(), before);
  EXPECT_EQ(memory.init_default(), 1u);
}

TEST(PolicyMemory, SetMemoryReplacesOneGroup) {
  PolicyMemory memory = PolicyMemory::load(kTreePolicy);
  EXPECT_EQ(memory.set_memory("[[group]]\nid = 10\nmismatch = 'DROP'\n"
                              "[[group.rule]]\npayload = 'POST'\nnext = 'tcp21'"),
            10u);
  const Group& group = memory.groups().at(10);
  EXPECT_EQ(group.rules.at(0).payload, std::vector<std::string>{"POST"});
  EXPECT_EQ(group.rules.at(0).next, 2u);
  EXPECT_EQ(group.match, kOut);
  EXPECT_EQ(group.mismatch, kDrop);
  EXPECT_EQ(group.name, "10");
  memory.set_memory("[[group]]\nid = 12\nname = 'new'\nmode = 'all'\nmatch = 11\nrule = [{}, { port = 1 }]");
  EXPECT_EQ(memory.groups().at(12).name, "new");
  EXPECT_EQ(memory.groups().at(12).mode, GroupMode::all);
  EXPECT_EQ(memory.groups().at(12).rules.size(), 2u);
  // Its own name again, and a name that has become free.
  memory.set_memory("[[group]]\nid = 12\nname = 'new'\nrule = [{}]");
  memory.set_memory("[[group]]\nid = 13\nname = 'http_1'\nmatch = 'new'\nrule = [{}]");
  EXPECT_EQ(memory.groups().at(13).match, 12u);
}

TEST(PolicyMemory, SetMemoryIsAllOrNothing) {
  PolicyMemory memory = PolicyMemory::load(kTreePolicy);
  const std::map<GroupId, Group> before = memory.groups();
  const auto refusal = [&](const std::string& text) { return policy_error([&] { memory.set_memory(text); }); };
  EXPECT_EQ(refusal("[[group]]\nid = 10\nmatch = 1\nrule = [{}]"), "cycle: 1 -> 10 -> 1");
  EXPECT_EQ(refusal("[[group]]\nid = 12\nmatch = 12\nrule = [{}]"), "cycle: 12 -> 12");
  EXPECT_EQ(refusal("[[group]]\nid = 12\nmatch = 99\nrule = [{}]"), "group 12: there is no group 99");
  EXPECT_EQ(refusal("[[group]]\nid = 12\n"), "group 12: no rules (line 1)");
  EXPECT_EQ(refusal("[[group]]\nid = 12\nname = 'tcp80'\nrule = [{}]"), "group name tcp80: there are two");
  EXPECT_EQ(refusal("[[group]]\nid = 12\n[[group.rule]]\npayload = 'a*'"),
            "group 12 rule 1: pattern 'a*': matches the empty string (line 4)");
  EXPECT_EQ(refusal("[[group]]\nid = 0\nrule = [{}]"), "group: id is 1 to 65535 (line 2)");
  EXPECT_EQ(refusal("[init]\ndefault = 10\n[[group]]\nid = 10\nrule = [{}]"), "unknown key init (line 1)");
  const std::string one = "one [[group]] is set at a time";
  EXPECT_EQ(refusal(""), one);
  EXPECT_EQ(refusal("[[group]]\nid = 40\nrule = [{}]\n[[group]]\nid = 41\nrule = [{}]"), one);
  Group of_no_id;
  of_no_id.rules = {Rule()};
  EXPECT_EQ(policy_error([&] { memory.set_memory(of_no_id); }), "group: id is 1 to 65535");
  EXPECT_EQ(memory.groups(), before);
}

TEST(PolicyMemory, PatternsOfGroupsThatComeOneByOneAddUp) {
  constexpr std::size_t kEach = kMostPatternsOfAGroup;
  PolicyMemory memory;
  Group group;
  Rule rule;
  rule.payload.assign(kEach, "x");
  group.rules = {rule};
  for (group.id = 1; group.id <= kMostPatterns / kEach; ++group.id) memory.set_memory(group);
  EXPECT_EQ(policy_error([&] { memory.set_memory(group); }), "more than 10000 patterns");
  EXPECT_EQ(memory.groups().size(), kMostPatterns / kEach);
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
