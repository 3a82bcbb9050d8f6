// What a policy that changes between two packets makes of a trace is what the oracle says: groups that are as before go
// on, others begin anew, and what connections have stays. Threads, batches and run files do not show.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "property/changed_policy.h"
#include "reference/random_change.h"

namespace warpmeter {
namespace {

using test::InProcess;
using test::PolicyCase;
using test::Setting;

constexpr std::uint64_t kFirst = 480'000, kCases = test::usual_policy_cases(160);

struct ChangingCase : PolicyCase {
  std::vector<std::uint8_t> file;
  std::vector<reference::LaterPolicy> changes;
};

struct Wanted {
  bool has_fields = true;
  bool has_many_connections = false;
};

// Connections of TCP for the most part, which live on over the changes, in so small pieces that most of what a pattern
// finds lies in several.
ChangingCase changing_case(std::uint64_t seed, const Wanted& wanted) {
  ChangingCase made{test::policy_case(seed), {}, {}};
  reference::Random random(seed ^ 0x7475726e);
  made.policy = reference::remembering_policy(seed);
  for (reference::GroupDraft& group : made.policy.groups) {
    for (reference::RuleDraft& rule : group.rules) {
      if (!wanted.has_fields) rule.fields.clear();
    }
  }
  if (random.percent(60)) made.bounds.most_rounds = 0;
  reference::StreamShape& shape = made.shape;
  shape.packets = wanted.has_many_connections ? 250 : std::min(shape.packets, random.pick({80u, 160u}));
  shape.conversations = wanted.has_many_connections ? 60 : std::min(shape.conversations, random.pick({2u, 4u}));
  shape.other_percent = random.pick({0u, 0u, 10u, 40u});
  if (random.percent(70)) shape.timeout = made.bounds.timeout = 0;
  reference::TalkHabits& habits = shape.habits;
  habits.odd_percent = random.pick({0u, 5u, 20u});
  habits.lose_percent = random.pick({0u, 0u, 2u});
  habits.cut_percent = random.pick({0u, 0u, 5u});
  habits.restart_percent = random.pick({0u, 0u, 2u});
  habits.longest = random.pick({4u, 8u, 8u, 30u});
  made.file = made.capture();
  const auto frames = static_cast<std::int64_t>(reference::read_capture(made.file).frames.size());
  made.changes = reference::random_changes(made.policy, seed, frames);
  return made;
}

std::string context(std::uint64_t seed, const ChangingCase& chosen, const Setting& setting, bool fuse) {
  std::string text = test::policy_context(seed, chosen, setting, fuse);
  for (const reference::LaterPolicy& change : chosen.changes) {
    text += fmt::format("\n# behind {} frames\n{}", change.behind, change.request);
  }
  return text;
}

reference::PolicyExtraction expected_of(const ChangingCase& chosen, bool fuse) {
  reference::PolicyBounds bounds = chosen.bounds;
  bounds.shares_scans = fuse && bounds.most_rounds == 0;
  return reference::extract_with(chosen.policy, test::Captures{chosen.file}, chosen.options, bounds, chosen.changes);
}

reference::PolicyExtraction without_changes(ChangingCase chosen) {
  chosen.changes.clear();
  return expected_of(chosen, false);
}

bool differ(const reference::PolicyExtraction& a, const reference::PolicyExtraction& b) {
  return a.csv != b.csv || a.groups != b.groups;
}

struct ChangedRun : test::Extracted {
  std::vector<PolicyCounters> before_changes;
};

ChangedRun run(const ChangingCase& chosen, Setting setting, bool fuse, bool leave = false) {
  setting.also = [&](ExtractOptions& options) {
    test::with_running_policy(chosen.policy, {.fuse = fuse, .bounds = chosen.bounds})(options);
    if (leave) options.expire_every_ns = 1;
  };
  const InProcess program;
  const ExtractOptions options = program.options_of({}, chosen.options, setting);
  std::vector<PolicyCounters> counts;
  const Summary summary = test::extract_with_changes(chosen.file, chosen.changes, options, counts);
  return {InProcess::extracted(options, summary.status), std::move(counts)};
}

// The program gives what is expected, under one of the settings. True if Flow Records were compared.
bool check(const ChangingCase& chosen, std::uint64_t seed, bool fuse, bool leave,
           const reference::PolicyExtraction& expected) {
  const Setting& setting = test::kPolicySettings[seed / 2 % test::kPolicySettings.size()];
  const ChangedRun got = run(chosen, setting, fuse, leave);
  const bool has_records = got.stats["late packets"] == 0 && test::numbers_tell_packets(chosen.file, chosen.options);
  if (has_records) EXPECT_TRUE(test::same_csv(expected.csv, got.csv)) << context(seed, chosen, setting, fuse);
  EXPECT_TRUE(test::same_counts(expected, test::counted(got.stats))) << context(seed, chosen, setting, fuse);
  std::int64_t before = 0;
  for (std::size_t i = 0; i < chosen.changes.size(); ++i) {
    const std::int64_t behind = chosen.changes[i].behind;
    if (std::exchange(before, behind) == behind) continue;  // no batch has come that could tell
    const auto& then = expected.before_changes[i];
    EXPECT_TRUE(test::same_counts(then, test::counted(got.before_changes[i], then.metered)))
        << "before change " << i << ", " << context(seed, chosen, setting, fuse);
  }
  return has_records;
}

TEST(PolicyChanges, AgreeWithTheOracle) {
  const test::SilentErrors silent;
  std::uint64_t records = 0, show = 0, sharing_shows = 0;
  const std::uint64_t cases = test::property_cases(kCases);
  for (std::uint64_t seed = kFirst; seed < kFirst + cases && !HasFailure(); ++seed) {
    const ChangingCase chosen = changing_case(seed, {});
    const reference::PolicyExtraction apart = expected_of(chosen, false), shared = expected_of(chosen, true);
    const bool fuse = seed % 2;
    records += check(chosen, seed, fuse, false, fuse ? shared : apart);
    show += differ(apart, without_changes(chosen));
    sharing_shows += differ(apart, shared);
  }
  EXPECT_GT(records, cases / 2);  // it is no trivial agreement
  EXPECT_GT(show, cases / 2);
  EXPECT_GE(sharing_shows, cases / 100);
}

// As a live capture has it. A field may be missing there that comes later.
TEST(PolicyChanges, AgreeWhereFlowRecordsLeave) {
  const test::SilentErrors silent;
  const std::uint64_t cases = test::property_cases(test::usual_policy_cases(30));
  for (std::uint64_t seed = kFirst; seed < kFirst + cases && !HasFailure(); ++seed) {
    const ChangingCase chosen = changing_case(seed, {.has_fields = false});
    check(chosen, seed, seed % 2, true, expected_of(chosen, seed % 2));
  }
}

// Of connections that are forgotten for want of memory, something is lost; what, depends on the trace and the changes.
TEST(PolicyChanges, WithLittleMemoryAreTheSameForAnyThreadsAndBatches) {
  const test::SilentErrors silent;
  std::uint64_t forgotten = 0;
  for (std::uint64_t seed = kFirst; seed < kFirst + test::property_cases(test::usual_policy_cases(12)); ++seed) {
    const ChangingCase chosen = changing_case(seed, {.has_many_connections = true});
    const auto run_with = [&](Setting setting) {
      setting.memory = test::kLittlePolicyMemory;
      return run(chosen, setting, seed % 2);
    };
    const test::Extracted expected = run_with({});
    forgotten += expected.stats["policy"]["forgotten_connections"].get<std::uint64_t>();
    for (const std::size_t i : {1, 3, 5}) {
      const Setting& setting = test::kPolicySettings[i];
      const test::Extracted got = run_with(setting);
      ASSERT_TRUE(test::same_csv(expected.csv, got.csv)) << context(seed, chosen, setting, seed % 2);
      ASSERT_EQ(expected.stats["policy"], got.stats["policy"]) << context(seed, chosen, setting, seed % 2);
    }
  }
  EXPECT_GT(forgotten, 0u);
}

}  // namespace
}  // namespace warpmeter
