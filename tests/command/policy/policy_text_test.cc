// What `policy explain` says of a policy, and its drawing.
#include <gtest/gtest.h>

#include "command/policy/policy.h"
#include "support/policy_text.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(ExplainedPolicy, HeadlineCounts) {
  EXPECT_EQ(policy_headline(PolicyMemory::load(test::kTreePolicy)),
            "7 groups, 7 rules, 4 patterns, longest path 4 rounds (at most 16)");
  EXPECT_EQ(policy_headline(PolicyMemory::load(test::one_rule("payload = ['a', 'b']"))),
            "1 group, 1 rule, 2 patterns, longest path 1 round (at most 16)");
}

TEST(ExplainedPolicy, NamesGroups) {
  const PolicyMemory memory = PolicyMemory::load(test::kTreePolicy);
  EXPECT_EQ(named_group(memory, 1), "1 tcp80");
  EXPECT_EQ(named_group(memory, 3), "3");
  EXPECT_EQ(named_group(memory, kDrop), "DROP");
}

TEST(ExplainedPolicy, TellsPathAndGroups) {
  const std::string text = explained_policy(PolicyMemory::load(test::kTreePolicy));
  EXPECT_TRUE(has(text, "\n1 tcp80 -> 2 tcp21 -> 3 -> 30 -> OUT\n")) << text;
  EXPECT_TRUE(has(text, "\nPackets begin\n  every packet  1 tcp80\n")) << text;
  EXPECT_TRUE(has(text, "\n  3          1      first  30     DROP      -              2\n")) << text;
  EXPECT_TRUE(has(text, "\n  11         1      all    OUT    OUT       -              1\n")) << text;
}

TEST(ExplainedPolicy, TellsWhatPatternsTake) {
  const std::string text = explained_policy(PolicyMemory::load(test::kTreePolicy));
  EXPECT_TRUE(has(text, "\n  10 11   payload  2 ")) << text;
  EXPECT_TRUE(has(text, "\n  30      stream   1 ")) << text;
  EXPECT_TRUE(has(text, "  a connection that comes to all of them: ")) << text;
  EXPECT_FALSE(has(explained_policy(PolicyMemory::load(test::one_rule("port = 80"))), "Patterns"));
  EXPECT_TRUE(has(explained_policy(PolicyMemory::load("")), "\nOUT\n")) << "nothing but the way out";
}

TEST(ExplainedPolicy, LongListsAreCut) {
  std::string text = "max_rounds = 99\ninit.default = 1\n";
  for (int id = 1; id <= 40; ++id) {
    const std::string next = id < 40 ? std::to_string(id + 1) : "'OUT'";
    text += "[[group]]\nid = " + std::to_string(id) + "\nmatch = " + next + "\nmismatch = " + next +
            "\nrule = [{ stream = 'a' }]\n";
  }
  const std::string told = explained_policy(PolicyMemory::load(text));
  EXPECT_TRUE(has(told, "\n1 -> 2 -> 3 -> ")) << told;
  EXPECT_TRUE(has(told, " -> 28 -> 29 -> ... -> 40 -> OUT\n")) << told;
  EXPECT_TRUE(has(told, "\n  1 2 3 4 5 ... 39 40  stream  40 ")) << told;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(PolicyGraph, HasABoxForEachGroup) {
  const std::string svg = policy_graph(PolicyMemory::load(test::kTreePolicy));
  EXPECT_EQ(count(svg, "<g><title>"), 8u);
  EXPECT_EQ(count(svg, ">DROP</text>"), 1u);
  EXPECT_EQ(count(svg, ">OUT</text>"), 3u);
  EXPECT_TRUE(has(svg, ">tcp80</text>"));
  EXPECT_TRUE(has(svg, ">11: 1 rule, all</text>"));
}

TEST(PolicyGraph, EscapesNames) {
  const std::string name = R"("<&'\u001b\"äääääääääääääääääääääääää")";
  const std::string svg = policy_graph(PolicyMemory::load("[[group]]\nid = 1\nname = " + name + "\nrule = [{}]\n"));
  EXPECT_TRUE(has(svg, "<title>&lt;&amp;'\\x1b&quot;äääääääääääääääääääääääää</title>")) << svg;
  EXPECT_TRUE(has(svg, ">&lt;&amp;'\\x1b&quot;ääääääääääääää\u2026</text>")) << svg;
  EXPECT_TRUE(has(svg, "never reached"));
}

TEST(PolicyGraph, LongLinesPassBetweenBoxes) {
  std::string text = "init.default = 1\n";
  for (int id = 1; id <= 6; ++id) {
    text += "[[group]]\nid = " + std::to_string(id) + "\nmatch = " + (id < 6 ? std::to_string(id + 1) : "'OUT'") +
            "\nmismatch = " + (id < 6 ? "6" : "'OUT'") + "\nrule = [{}]\n";
  }
  const std::string svg = policy_graph(PolicyMemory::load(text));
  EXPECT_EQ(count(svg, "V"), 4u + 3u + 2u + 1u) << "of groups 1 to 4, through each layer between";
}

TEST(PolicyGraph, ManyGroupsAreRefused) {
  std::string text;
  for (int id = 1; id <= 201; ++id) text += "[[group]]\nid = " + std::to_string(id) + "\nrule = [{}]\n";
  EXPECT_EQ(test::thrown_text([&] { policy_graph(PolicyMemory::load(text)); }),
            "--svg draws at most 200 groups, and there are 201");
}

}  // namespace
}  // namespace warpmeter
