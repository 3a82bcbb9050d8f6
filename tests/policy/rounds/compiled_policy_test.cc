// Groups stand in topological order; those share a scan of which each passes all its packets to the next and gets no
// others, and no others do.
#include "policy/rounds/compiled_policy.h"

#include <gtest/gtest.h>

#include "policy/rounds/policy_talk.h"
#include "support/policy_text.h"

namespace warpmeter {
namespace {

using test::one_group;

std::string beginning(const std::string& to) { return "[init]\ndefault = " + to + "\n"; }

CompiledPolicy compiled(const std::string& text, bool fuse = true) { return {PolicyMemory::load(text), fuse}; }

// The scans, as ids of their groups: "1 2|3".
std::string units_of(const CompiledPolicy& policy) {
  std::vector<std::string> units(policy.units().size());
  for (const CompiledGroup& group : policy.groups()) {
    std::string& unit = units[group.unit];
    unit += (unit.empty() ? "" : " ") + std::to_string(group.id);
  }
  std::string all;
  for (const std::string& unit : units) all += (all.empty() ? "" : "|") + unit;
  return all;
}

const std::string kChain = beginning("1") + one_group(1, "stream = 'a'", "2") + one_group(2, "stream = 'b'", "3") +
                           one_group(3, "stream = 'c', payload = ['d', 'e']");

TEST(CompiledPolicy, FusesAChain) {
  const CompiledPolicy policy = compiled(kChain);
  EXPECT_EQ(units_of(policy), "1 2 3");
  const ScanUnit& unit = policy.units()[0];
  EXPECT_EQ(unit.rules, 3 * kRulesAWord);
  EXPECT_EQ(unit.stream_rule, (std::vector<std::uint32_t>{0, kRulesAWord, 2 * kRulesAWord}));
  EXPECT_EQ(unit.payload_rule, (std::vector<std::uint32_t>{2 * kRulesAWord, 2 * kRulesAWord}));
  EXPECT_EQ(policy.groups()[2].first_rule, 2 * kRulesAWord);
}

TEST(CompiledPolicy, WithoutFusingScansForEachGroup) { EXPECT_EQ(units_of(compiled(kChain, false)), "1|2|3"); }

TEST(CompiledPolicy, FusesNoGroupThatSomePacketsPassBy) {
  const std::string chain = one_group(1, "stream = 'a'", "2") + one_group(2, "stream = 'b'");
  EXPECT_EQ(units_of(compiled(beginning("1") + chain)), "1 2");
  // An init rule leads to the second.
  EXPECT_EQ(units_of(compiled(beginning("1") + "[[init.rule]]\nport = 80\nto = 2\n" + chain)), "1|2");
  // Another group leads there as well, to which some packets come; or to which none comes.
  const std::string third = one_group(3, "port = 1", "2");
  EXPECT_EQ(units_of(compiled(beginning("1") + "[[init.rule]]\nport = 80\nto = 3\n" + chain + third)).find("1 2"),
            std::string::npos);
  EXPECT_NE(units_of(compiled(beginning("1") + chain + third)).find("1 2"), std::string::npos);
}

TEST(CompiledPolicy, FusesNoGroupThatNotAllPacketsComeTo) {
  const auto with = [](const std::string& ends, const std::string& rule) {
    return units_of(compiled("[init]\ndefault = 1\n[[group]]\nid = 1\n" + ends + "\nrule = [{ " + rule + " }]\n" +
                             one_group(2, "stream = 'b'")));
  };
  EXPECT_EQ(with("match = 2\nmismatch = 2", "port = 1"), "1 2");
  EXPECT_EQ(with("match = 2", "port = 1"), "1|2");
  EXPECT_EQ(with("mismatch = 2", "port = 1"), "1|2");
  EXPECT_EQ(with("match = 2\nmismatch = \"DROP\"", "port = 1"), "1|2");
  // Some take a rule's own way; unless that is the same, or nothing that comes behind them counts.
  EXPECT_EQ(with("match = 2\nmismatch = 2", "port = 1, next = 'OUT'"), "1|2");
  EXPECT_EQ(with("match = 2\nmismatch = 2", "port = 1, next = 2"), "1 2");
  EXPECT_EQ(with("mismatch = 2", "port = 1, next = 'DROP', final = true"), "1 2");
  EXPECT_EQ(with("mismatch = 2", "port = 1, final = true"), "1 2");
  EXPECT_EQ(with("match = 2", "port = 1, final = true"), "1|2");
}

TEST(CompiledPolicy, StandsInTopologicalOrder) {
  const CompiledPolicy policy = compiled(test::kTreePolicy);
  const auto place = [&](GroupId id) {
    return std::ranges::find(policy.groups(), id, &CompiledGroup::id) - policy.groups().begin();
  };
  for (const CompiledGroup& group : policy.groups()) {
    for (const GroupPlace next : {group.match, group.mismatch}) {
      if (!is_end_place(next)) {
        EXPECT_LT(place(group.id), static_cast<std::ptrdiff_t>(next));
      }
    }
  }
  EXPECT_EQ(policy.init_place(0), static_cast<GroupPlace>(place(1)));
  EXPECT_EQ(policy.groups()[static_cast<std::size_t>(place(3))].mismatch, kDropPlace);
  EXPECT_EQ(policy.columns(), (std::vector<std::string>{"host"}));
  EXPECT_TRUE(policy.has_streams());
  EXPECT_TRUE(policy.has_fields());
}

TEST(CompiledPolicy, NumbersLabelsAndCountsOnlyWhatIsAskedFor) {
  const CompiledPolicy policy = compiled(beginning("1") +
                                         "[[group]]\nid = 1\nmode = 'all'\n"
                                         "rule = [{ port = 1, label = ['a', 'b'] }, { label_is = 'b', after = 1, label "
                                         "= 'c' }, { after = 3, label_is_not = 'a' }]\n");
  EXPECT_EQ(policy.labels(), (std::vector<std::string>{"a", "b", "c"}));
  const std::vector<CompiledRule>& rules = policy.groups()[0].rules;
  EXPECT_EQ(rules[1].labels_all, (std::vector<LabelNumber>{1}));
  EXPECT_EQ(rules[1].labels, (std::vector<LabelNumber>{2}));
  EXPECT_EQ(rules[2].labels_none, (std::vector<LabelNumber>{0}));
  EXPECT_EQ(rules[0].counter, kNoCounter);
  EXPECT_EQ(rules[1].counter, kNoCounter);
  EXPECT_EQ(rules[2].counter, 0u);
  EXPECT_FALSE(policy.has_streams());
  EXPECT_FALSE(policy.has_fields());
}

TEST(CompiledPolicy, MayHaveNoGroups) {
  const CompiledPolicy policy = compiled("[init]\ndefault = \"DROP\"\n");
  EXPECT_EQ(policy.init_place(0), kDropPlace);
  EXPECT_TRUE(policy.units().empty());
}

}  // namespace
}  // namespace warpmeter
