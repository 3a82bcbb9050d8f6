// Requests in words: what each does, what is said of wrong ones, and that these change nothing.
#include "policy/control/policy_control.h"

#include <gtest/gtest.h>

#include "support/policy_text.h"

namespace warpmeter {
namespace {

using test::kTreePolicy;
using test::policy_error;

TEST(PolicyRequest, SetMemoryReplacesAGroup) {
  RunningPolicy running(PolicyMemory::load(kTreePolicy), true);
  EXPECT_EQ(apply_request("set_memory\n[[group]]\nid = 20\nmatch = 'http_1'\nrule = [{ port = 2121 }]\n", running),
            "group 20 set");
  EXPECT_EQ(running.current()->memory().groups().at(20).match, 10u);
  EXPECT_EQ(running.generation(), 1u);
}

TEST(PolicyRequest, SetInitPutsARuleInFront) {
  RunningPolicy running(PolicyMemory::load(kTreePolicy), true);
  EXPECT_EQ(apply_request("set_init\r\n[[init.rule]]\r\nsrc = '10.0.0.0/8'\r\nto = 'http_1'\r\n", running),
            "an init rule set, to group 10");
  EXPECT_EQ(apply_request("set_init\n[[init.rule]]\nto = 'DROP'", running), "an init rule set, to DROP");
  EXPECT_EQ(running.current()->memory().init().front().to, kDrop);
}

TEST(PolicyRequest, ReplaceTakesAWholeFile) {
  RunningPolicy running(PolicyMemory::load(kTreePolicy), true);
  EXPECT_EQ(apply_request("replace\n[[group]]\nid = 7\nrule = [{}]\n", running), "replaced");
  EXPECT_EQ(running.current()->memory().groups().size(), 1u);
  EXPECT_EQ(apply_request("replace\n[[init.rule]]\nto = 'OUT'\n", running), "replaced");
  EXPECT_TRUE(running.current()->memory().groups().empty());
}

TEST(PolicyRequest, WrongOnesChangeNothing) {
  RunningPolicy running(PolicyMemory::load(kTreePolicy), true);
  const auto before = running.current();
  const auto refusal = [&](const char* request) { return policy_error([&] { apply_request(request, running); }); };
  const std::string unknown = "the first line is set_memory, set_init or replace";
  for (const char* const request : {"", "\n", "set", "set_memory [[group]]\n", " set_init\n", "SET_INIT\n"}) {
    EXPECT_EQ(refusal(request), unknown) << request;
  }
  EXPECT_EQ(refusal("set_memory"), "one [[group]] is set at a time");
  EXPECT_EQ(refusal("set_init\n"), "one [[init.rule]] is set at a time");
  EXPECT_EQ(refusal("replace\n[[group]]\nid = 1\n"), "group 1: no rules (line 2)");
  const std::string nothing = "neither groups nor init rules: that takes no policy's place";
  for (const char* const request : {"replace", "replace\n", "replace\n# nothing\n[init]\ndefault = 'DROP'\n"}) {
    EXPECT_EQ(refusal(request), nothing) << request;
  }
  EXPECT_EQ(refusal("set_memory\n[[group]]\nid = 20\n[[group.rule]]\npayload = 'a'\n[[group.rule]]\nstream = 'a$'\n"),
            "group 20 rule 2: pattern 'a$': a stream has no end that $ could stand for (line 7)")
      << "lines are those of the request";
  EXPECT_EQ(refusal("set_memory\n[[group]]\nid = 20\nmatch = 'tcp80'\nrule = [{}]\n"), "cycle: 1 -> 2 -> 20 -> 1");
  EXPECT_EQ(refusal("set_memory\n[[group]]\nid = 20\n[[group.rule]]\nfield = { sni = 'tls.sni' }\n"),
            "column sni: outputs have the columns of fields that the run began with");
  EXPECT_EQ(running.current(), before);
  EXPECT_EQ(running.generation(), 0u);
}

}  // namespace
}  // namespace warpmeter
