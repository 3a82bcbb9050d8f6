// What a policy file may say, and what is said where it says something wrong: the group, the rule, the line.
#include "policy/memory/policy_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>

#include "support/policy_text.h"

namespace warpmeter {
namespace {

using test::one_rule;
using test::policy_refusal;

Rule rule_of(const std::string& text) { return parse_policy(one_rule(text)).groups.at(1).rules.at(0); }

TEST(PolicyFile, RuleHasAllThatWasWritten) {
  const Rule rule = rule_of(R"(name = "all"
version = 6
protocol = ["tcp", 17]
src = ["10.0.0.0/8", "::/0"]
dst = "192.0.2.1"
src_port = 80
dst_port = ["80-90", 443]
port = "1000-"
vlan = 0
length = "40-1500"
payload_length = "1-"
flags = "SA"
not_flags = "R"
way = "server"
nth = "1-64"
label_is = ["a", "b"]
label_is_not = "c"
payload = ['x', 'ÿ\x00']
stream = '^y'
after = 3
label = ["d", "e"]
scope = "flow"
field = { host = "http.host", sni = "tls.sni" }
next = "DROP"
final = true)");
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  Rule wanted;
  wanted.name = "all";
  Conditions& c = wanted.conditions;
  c.version = 6;
  c.protocol = {{6, 17}};
  c.source = {{AddressPrefix{4, 8, {10}}, AddressPrefix{6, 0, {}}}};
  c.destination = {{AddressPrefix{4, 32, {192, 0, 2, 1}}}};
  c.source_port = {{{80, 80}}};
  c.destination_port = {{{80, 90}, {443, 443}}};
  c.port = {{{1000, kMost}}};
  c.vlan = {{{0, 0}}};
  c.length = {{{40, 1500}}};
  c.payload_length = {{{1, kMost}}};
  c.nth = {{{1, 64}}};
  c.flags = 0x12;
  c.not_flags = 0x04;
  c.has_flags = true;
  c.way = Way::server;
  wanted.labels_all = {"a", "b"};
  wanted.labels_none = {"c"};
  wanted.payload = {"x", "\xff\\x00"};
  wanted.stream = {"^y"};
  wanted.after = 3;
  wanted.labels = {"d", "e"};
  wanted.scope = LabelScope::flow;
  wanted.fields = {{"host", FieldKind::http_host}, {"sni", FieldKind::tls_sni}};
  wanted.next = kDrop;
  wanted.final = true;
  EXPECT_EQ(rule, wanted);
}

TEST(PolicyFile, RuleHasNothingElse) {
  Rule wanted;
  wanted.name = "group 1 rule 1";
  EXPECT_EQ(rule_of(""), wanted);
}

TEST(PolicyFile, EmptyLists) {
  EXPECT_EQ(rule_of("protocol = []").conditions.protocol, std::nullopt) << "no condition";
  EXPECT_EQ(rule_of("port = []").conditions.port, std::vector<ValueRange>()) << "one that never holds";
  EXPECT_EQ(rule_of("src = []").conditions.source, std::vector<AddressPrefix>());
  EXPECT_TRUE(rule_of("flags = ''").conditions.has_flags);
  EXPECT_FALSE(rule_of("").conditions.has_flags);
}

TEST(PolicyFile, GroupsAndInit) {
  const ParsedPolicy policy = parse_policy(R"(max_rounds = 3
[init]
default = "b"
[[init.rule]]
name = "names"
protocol = "udp"
port = 53
to = 7
[[init.rule]]
nth = "65-"
to = "OUT"
[[group]]
id = 7
match = "b"
mismatch = "DROP"
mode = "all"
rule = [{ next = "b" }, {}]
[[group]]
id = 2
name = "b"
rule = [{}]
)");
  EXPECT_EQ(policy.max_rounds, 3u);
  EXPECT_EQ(policy.init_default, 2u);
  ASSERT_EQ(policy.init.size(), 2u);
  EXPECT_EQ(policy.init[0].to, 7u);
  EXPECT_EQ(policy.init[0].conditions.port, (std::vector<ValueRange>{{53, 53}}));
  EXPECT_EQ(policy.init[1].to, kOut);
  const Group &seven = policy.groups.at(7), &two = policy.groups.at(2);
  EXPECT_EQ(seven.name, "7");
  EXPECT_EQ(seven.match, 2u);
  EXPECT_EQ(seven.mismatch, kDrop);
  EXPECT_EQ(seven.mode, GroupMode::all);
  EXPECT_EQ(seven.followers(), (std::vector<GroupId>{2, kDrop, 2}));
  EXPECT_EQ(seven.rules[1].name, "group 7 rule 2");
  EXPECT_EQ(two.name, "b");
  EXPECT_EQ(two.match, kOut);
  EXPECT_EQ(two.mode, GroupMode::first);
}

TEST(PolicyFile, EmptyFileSendsAllOut) {
  const ParsedPolicy policy = parse_policy("");
  EXPECT_TRUE(policy.groups.empty());
  EXPECT_EQ(policy.init_default, kOut);
  EXPECT_EQ(policy.max_rounds, 16u);
}

// The rule is in line 7.
TEST(PolicyFile, RulesThatAreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"prot = 80", "unknown key prot"},
      {"\"a\\u001bb\" = 1", "unknown key a\\x1bb"},
      {"name = 1", "name is a text, in quotes"},
      {"scope = 'all'", "scope is flow or connection"},
      {"after = 0", "after is a number from 1 on"},
      {"after = 1.5", "after is a number from 1 on"},
      {"after = nan", "after is a number from 1 on"},
      {"after = true", "after is a number from 1 on"},
      {"field = 'tls.sni'", "field is a table, as { host = \"http.host\" }"},
      {"field = { a = 'tls.name' }", "unknown field tls.name"},
      {"field = { a = 1 }", "unknown field"},
      {"field = { 'a,b' = 'tls.sni' }", "bad column 'a,b': a letter or _, then up to 63 of letters, digits and _."},
      {"label = 'a b'", "bad label 'a b': 1 to 64 of letters, digits and _.:/-"},
      {"label_is = ['a', '']", "bad label '': 1 to 64 of letters, digits and _.:/-"},
      {"label_is_not = 'ä'", "bad label 'ä': 1 to 64 of letters, digits and _.:/-"},
      {"label = 1", "a label is a text, in quotes"},
      {"version = 5", "version is 4 or 6"},
      {"version = '4'", "version is 4 or 6"},
      {"protocol = 'tpc'", "unknown protocol 'tpc'"},
      {"protocol = 256", "unknown protocol: a name, or a number from 0 to 255"},
      {"src = '10.0.0.1/8'", "'10.0.0.1/8' has host bits set"},
      {"dst = ['::1', 'x']", "'x' is no address and no prefix"},
      {"dst = 1", "dst is a text, in quotes"},
      {"port = '90-80'", "'90-80': the range is empty"},
      {"port = -1", "-1: no number is less than 0"},
      {"vlan = 1.0", "a number is 80, or a range \"80-90\" or \"1000-\""},
      {"nth = ['1-2', 'x']", "'x' is no number and no range such as 80-90 or 1000-"},
      {"flags = 'X'", "'X': flags are of FSRPAUEC"},
      {"not_flags = ['S']", "not_flags is a text, in quotes"},
      {"way = 'up'", "way is client or server"},
      {"payload = 'Ā'", "pattern 'Ā' is not Latin-1"},
      {"payload = 7", "a pattern is a text, in quotes"},
      {"payload = 'a(?=b)'", "pattern 'a(?=b)': not streamable"},
      {"payload = ['a', 'a*']", "pattern 'a*': matches the empty string"},
      {"stream = 'a$'", "pattern 'a$': a stream has no end that $ could stand for"},
      {"stream = '(a'", "pattern '(a': a ( without its )"},
      {"stream = 'b**'", "pattern 'b**': Invalid repeat at index 2"},
      {"next = 0", "there is no group 0"},
      {"next = 65536", "there is no group 65536"},
      {"next = -9223372036854775808", "there is no group -9223372036854775808"},
      {"next = 'nobody'", "there is no group nobody"},
      {"next = 1.5", "a group is named by its id or its name, or is \"OUT\" or \"DROP\""},
      {"final = 1", "final is true or false"}};
  for (const auto& [rule, why] : cases) {
    EXPECT_EQ(policy_refusal(one_rule(rule)), std::string("group 1 rule 1: ") + why + " (line 7)") << rule;
  }
}

TEST(PolicyFile, RefusalNamesTheRule) {
  EXPECT_EQ(policy_refusal("[[group]]\nid = 3\nrule = [{ payload = 'a' },\n  { payload = ['b', 'c*'] }]"),
            "group 3 rule 2: pattern 'c*': matches the empty string (line 4)");
  EXPECT_EQ(policy_refusal("[init]\n[[init.rule]]\nto = 'OUT'\n[[init.rule]]\nport = 'x'\nto = 'OUT'"),
            "init rule 2: 'x' is no number and no range such as 80-90 or 1000- (line 5)");
}

TEST(PolicyFile, FilesThatAreRefused) {
  const std::string rule = "[[group.rule]]\n", twice = "[[group]]\nid = 1\n" + rule + "[[group]]\nid = 1\n" + rule;
  const std::pair<std::string, std::string> cases[] = {
      {"groups = 1", "unknown key groups (line 1)"},
      {"max_rounds = 0", "max_rounds is a number from 1 to 65535 (line 1)"},
      {"max_rounds = '3'", "max_rounds is a number from 1 to 65535 (line 1)"},
      {"group = 1", "group is written as [[group]] (line 1)"},
      {"group = [1]", "group is written as [[group]] (line 1)"},
      {"[group]\nid = 1", "group is written as [[group]] (line 1)"},
      {"[[group]]\nid = 1\nrule = {}", "group 1: rule is written as [[rule]] (line 3)"},
      {"[[group]]\nid = 1\nrule = [{}, 1]", "group 1: rule is written as [[rule]] (line 3)"},
      {"[[group]]", "group: id is 1 to 65535 (line 1)"},
      {"[[group]]\nid = 0", "group: id is 1 to 65535 (line 2)"},
      {"[[group]]\nid = 65536", "group: id is 1 to 65535 (line 2)"},
      {"[[group]]\nid = 'a'", "group: id is 1 to 65535 (line 2)"},
      {"[[group]]\nid = 5\nnext = 1", "group 5: unknown key next (line 3)"},
      {"[[group]]\nid = 5\nmode = 'any'\n" + rule, "group 5: mode is first or all (line 3)"},
      {"[[group]]\nid = 5", "group 5: no rules (line 1)"},
      {"[[group]]\nid = 5\nmatch = 'x'\n" + rule, "group 5: there is no group x (line 3)"},
      {"[[group]]\nid = 5\nname = 'OUT'\n" + rule, "group 5: a group cannot have the name 'OUT' (line 1)"},
      {twice, "group 1: there are two (line 4)"},
      {"[[group]]\nid = 1\nname = 'a'\n" + rule + "[[group]]\nid = 2\nname = 'a'\n" + rule,
       "group name a: there are two (line 7)"},
      {"init = 1", "init is written as [init] (line 1)"},
      {"[init]\nto = 1", "init: unknown key to (line 2)"},
      {"[init]\ndefault = 'x'", "init: there is no group x (line 2)"},
      {"[[init.rule]]\nport = 1", "init rule 1: no `to` (line 1)"},
      {"[[init.rule]]\npayload = 'x'\nto = 'OUT'", "init rule 1: unknown key payload (line 2)"},
      {"[[init.rule]]\nname = 1\nto = 'OUT'", "init rule 1: name is a text, in quotes (line 2)"}};
  for (const auto& [text, why] : cases) EXPECT_EQ(policy_refusal(text), why) << text;
}

TEST(PolicyFile, NoToml) {
  for (const std::string& text :
       {std::string("a ="), std::string("a = 1\nb"), std::string("a = '\xff'"), std::string("a = '\0'", 7),
        std::string("\0", 1), std::string("a = 99999999999999999999"), "a = " + std::string(100000, '['),
        "a = " + std::string(100000, '{'), std::string("a = 1\na = 2"), std::string("[a]\n[a]")}) {
    const std::string why = policy_refusal(text);
    EXPECT_TRUE(why.starts_with("TOML: ")) << why;
    EXPECT_NE(why.find(" (line "), std::string::npos) << why;
    EXPECT_LT(why.size(), 300u);
  }
}

// What the parser asserts it looks for as well, and what it takes for impossible is possible.
TEST(PolicyFile, OddTomlIsNoCrash) {
  for (const char* text :
       {"[!]", "[\x01]", "{", "uu\uFE7F\uFEFF9", "a = \uFE7F", "a = \"\"\"\\\uFE7F\"\"\"", "[[\uFE7F]]", "a = 1\u00E4",
        "a = 1998-\"x\u017D", "a.\uFE7F = 1", "a = 1\uFCC6", "a = [1,\uFE7F]"}) {
    EXPECT_TRUE(policy_refusal(text).starts_with("TOML: ")) << text;
  }
}

TEST(PolicyFile, ManyPatterns) {
  const auto group = [](int id, int patterns) {
    std::string text = "[[group]]\nid = " + std::to_string(id) + "\nrule = [{ payload = [";
    for (int i = 0; i < patterns; ++i) text += "'a" + std::to_string(i) + "',";
    return text + "] }]\n";
  };
  EXPECT_EQ(policy_refusal(group(7, 2001)), "group 7: more than 2000 patterns of payload");
  std::string text;
  for (int id = 1; id <= 5; ++id) text += group(id, 2000);
  EXPECT_EQ(policy_refusal(text), "");
  EXPECT_EQ(policy_refusal(text + group(6, 1)), "more than 10000 patterns");
}

TEST(PolicyFile, ManyGroups) {
  const auto begin = std::chrono::steady_clock::now();
  std::string text;
  for (int id = 1; id <= 300'000; ++id) text += "[[group]]\nid=" + std::to_string(id) + "\n";
  EXPECT_EQ(policy_refusal(text), "group: id is 1 to 65535 (line 131072)");
  text += std::string(kMostPolicyBytes, ' ');
  EXPECT_EQ(policy_refusal(text), "more than 8 MiB");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60)) << "in linear time";
}

}  // namespace
}  // namespace warpmeter
