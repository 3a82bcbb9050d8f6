// A change comes into force whole, with a new generation, or not at all.
#include "policy/rounds/running_policy.h"

#include <gtest/gtest.h>

#include <chrono>
#include <latch>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/threads/abandonable_work.h"
#include "policy/rounds/policy_talk.h"
#include "support/policy_text.h"

namespace warpmeter {
namespace {

using test::kTreePolicy;
using test::one_rule;
using test::policy_error;
using namespace std::chrono_literals;

constexpr std::chrono::milliseconds kShort = 20ms;

Rule rule_on(const std::string& label) {
  Rule rule;
  rule.labels = {label};
  return rule;
}

TEST(RunningPolicy, FileTakesThePlaceOfAnother) {
  RunningPolicy running(PolicyMemory::load(kTreePolicy), true);
  const auto first = running.current();
  EXPECT_EQ(running.generation(), 0u);
  running.replace(PolicyMemory::load(one_rule("label = 'ssh'")));
  EXPECT_EQ(running.generation(), 1u);
  EXPECT_EQ(running.current()->groups().size(), 1u);
  EXPECT_EQ(first->groups().size(), 7u) << "who has it keeps it";
}

TEST(RunningPolicy, LabelsKeepTheirNumbers) {
  RunningPolicy running(PolicyMemory::load(one_rule("label = ['a', 'b']")), true);
  running.replace(PolicyMemory::load(one_rule("label = ['c', 'b']")));
  EXPECT_EQ(running.current()->labels(), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(running.current()->groups()[0].rules[0].labels, (std::vector<LabelNumber>{2, 1}));
}

TEST(RunningPolicy, ColumnsAreThoseOfTheFirst) {
  RunningPolicy running(PolicyMemory::load(one_rule("field = { a = 'dns.name', b = 'tls.sni' }")), true);
  running.replace(PolicyMemory::load(one_rule("field = { b = 'http.host' }")));
  EXPECT_EQ(running.current()->columns(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(running.current()->groups()[0].rules[0].fields, (std::vector<CompiledField>{{1, FieldKind::http_host}}));
  const std::string refusal =
      policy_error([&] { running.replace(PolicyMemory::load(one_rule("field = { b = 'tls.sni', c = 'dns.name' }"))); });
  EXPECT_EQ(refusal, "column c: outputs have the columns of fields that the run began with");
  EXPECT_EQ(running.generation(), 1u);
}

TEST(RunningPolicy, InitRuleGoesInFront) {
  RunningPolicy running(PolicyMemory::load(kTreePolicy), true);
  Conditions dns;
  dns.port = {{53, 53}};
  running.set_init({dns, 30});
  running.set_init({dns, kDrop});
  ASSERT_EQ(running.current()->memory().init().size(), 2u);
  EXPECT_EQ(running.current()->memory().init()[0].to, kDrop);
  EXPECT_EQ(policy_error([&] { running.set_init({dns, 7}); }), "init: there is no group 7");
  EXPECT_EQ(running.generation(), 2u);
}

TEST(RunningPolicy, GroupTakesThePlaceOfAnotherOrIsAdded) {
  RunningPolicy running(PolicyMemory::load(kTreePolicy), true);
  const auto group = [](GroupId id, GroupId match) {
    Group made;
    made.id = id;
    made.rules = {rule_on("x")};
    made.match = match;
    return made;
  };
  Group no_rules;
  no_rules.id = 22;
  running.set_memory(group(20, kOut));
  running.set_memory(group(21, 20));
  EXPECT_EQ(running.current()->memory().groups().at(20).rules, std::vector<Rule>{rule_on("x")});
  EXPECT_EQ(running.current()->memory().groups().at(21).name, "21");
  EXPECT_EQ(policy_error([&] { running.set_memory(group(20, 21)); }), "cycle: 20 -> 21 -> 20");
  EXPECT_EQ(policy_error([&] { running.set_memory(group(0, kOut)); }), "group: id is 1 to 65535");
  EXPECT_EQ(policy_error([&] { running.set_memory(no_rules); }), "group 22: no rules");
  EXPECT_EQ(running.generation(), 2u);
  EXPECT_EQ(running.current()->memory().groups().at(20).match, kOut);
}

TEST(RunningPolicy, ChangeThatFailsChangesNothing) {
  RunningPolicy running(PolicyMemory::load(kTreePolicy), true);
  const auto before = running.current();
  EXPECT_EQ(policy_error([&] {
              running.change([](PolicyMemory& memory) {
                memory.set_init({Conditions{}, kOut});
                memory.set_init({Conditions{}, 7});
              });
            }),
            "init: there is no group 7");
  EXPECT_EQ(running.current(), before);
  EXPECT_EQ(running.generation(), 0u);
}

TEST(RunningPolicy, ChangesOfSeveralThreadsAllCome) {
  RunningPolicy running(PolicyMemory::load(kTreePolicy), true);
  constexpr int kEach = 20;
  const auto add = [&] {
    for (int i = 0; i < kEach; ++i) running.set_init({Conditions{}, kOut});
  };
  std::thread other(add);
  add();
  other.join();
  EXPECT_EQ(running.generation(), 2u * kEach);
  EXPECT_EQ(running.current()->memory().init().size(), 2u * kEach);
}

// As patterns that take minutes to compile, until it is opened.
class SlowChange {
 public:
  ~SlowChange() {
    end_->count_down();
    while (abandoned_work() > 0) std::this_thread::sleep_for(1ms);
  }
  void operator()(RunningPolicy& running, const std::stop_token& stop = {}) const {
    running.change([end = end_](PolicyMemory& memory) { end->wait(), memory.set_init({Conditions{}, kDrop}); }, stop);
  }

 private:
  const std::shared_ptr<std::latch> end_ = std::make_shared<std::latch>(1);
};

TEST(RunningPolicy, ChangeThatTakesTooLongIsRefused) {
  RunningPolicy impatient(PolicyMemory::load(kTreePolicy), true, kShort), other(PolicyMemory::load(kTreePolicy), true);
  {
    std::optional<RunningPolicy> gone(std::in_place, PolicyMemory::load(kTreePolicy), true, kShort);
    const SlowChange slow;
    const std::string late =
        "not ready after 1 s, the most that patterns of a change may take to compile: fewer or simpler ones";
    EXPECT_EQ(policy_error([&] { slow(*gone); }), late);
    gone.reset();
    other.set_init({Conditions{}, kOut});
    EXPECT_EQ(other.generation(), 1u) << "others go on";
    EXPECT_EQ(policy_error([&] { slow(impatient); }), late);
    Group group = PolicyMemory::load(kTreePolicy).groups().begin()->second;
    group.rules.at(0).payload = {"a new one"};
    EXPECT_EQ(policy_error([&] { other.set_memory(group); }),
              "2 changes that took too long are still being compiled: no new patterns before one of them is over");
    other.set_init({Conditions{}, kOut});
    EXPECT_EQ(other.generation(), 2u) << "without new patterns there is nothing to wait for";
  }
  EXPECT_EQ(impatient.generation(), 0u) << "what comes too late is thrown away";
  EXPECT_TRUE(impatient.current()->memory().init().empty());
  other.set_init({Conditions{}, kOut});
  EXPECT_EQ(other.generation(), 3u);
}

TEST(RunningPolicy, NobodyWaitsAtTheEnd) {
  RunningPolicy running(PolicyMemory::load(kTreePolicy), true, 1h);
  const SlowChange slow;
  std::string said[2];
  {
    std::jthread makes_one([&](const std::stop_token& stop) { said[0] = policy_error([&] { slow(running, stop); }); });
    std::jthread is_next([&](const std::stop_token& stop) { said[1] = policy_error([&] { slow(running, stop); }); });
    std::this_thread::sleep_for(kShort);
  }
  EXPECT_EQ(said[0], "no change any more: the run ends");
  EXPECT_EQ(said[1], said[0]);
}

}  // namespace
}  // namespace warpmeter
