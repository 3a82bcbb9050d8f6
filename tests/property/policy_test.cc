// What a policy makes of a trace is what the oracle says, line by line and counter by counter; threads, batches,
// memory, run files and fused scans do not show.
#include <gtest/gtest.h>

#include <sstream>

#include "property/many_flows.h"
#include "property/policy_case.h"

namespace warpmeter {
namespace {

using test::InProcess;
using test::PolicyCase;
using test::PolicyRun;
using test::Setting;

constexpr std::uint64_t kFirst = 470'000, kCases = test::usual_policy_cases(250);

// Lines whose labels or fields, behind all other columns, have something.
std::size_t lines_with_something(const std::string& csv, const char* column) {
  std::istringstream lines(csv);
  std::string line, name;
  std::getline(lines, line);
  std::size_t place = 0;
  for (std::istringstream names(line); std::getline(names, name, ',') && name != column;) ++place;
  std::size_t found = 0;
  while (std::getline(lines, line)) {
    std::istringstream values(line);
    std::string value;
    for (std::size_t i = 0; i <= place; ++i) {
      value.clear();
      std::getline(values, value, ',');
    }
    found += !value.empty();
  }
  return found;
}

TEST(Policies, AgreeWithTheOracle) {
  const test::SilentErrors silent;
  std::int64_t metered = 0, dropped = 0, truncated = 0, hits = 0;
  std::size_t labels = 0, names = 0, several = 0, lines = 0;
  for (std::uint64_t seed = kFirst; seed < kFirst + test::property_cases(kCases); ++seed) {
    const PolicyCase chosen = test::policy_case(seed);
    const test::Captures captures = {chosen.capture()};
    const bool are_told = test::numbers_tell_packets(captures[0], chosen.options);
    lines += are_told;
    const reference::PolicyExtraction expected =
        reference::extract_with(chosen.policy, captures, chosen.options, chosen.bounds);
    for (std::uint64_t i = 0; i < 2; ++i) {
      const bool fuse = (seed + i) % 3 != 0;
      Setting setting = test::kPolicySettings[(2 * seed + i) % test::kPolicySettings.size()];
      setting.also = test::with_policy(chosen.policy, {.fuse = fuse, .bounds = chosen.bounds});
      InProcess program;
      const test::Extracted got = program.run(captures, chosen.options, setting);
      if (got.stats["late packets"] == 0 && are_told) {
        ASSERT_TRUE(test::same_csv(expected.csv, got.csv)) << test::policy_context(seed, chosen, setting, fuse);
      }
      ASSERT_TRUE(test::same_counts(expected, test::counted(got.stats)))
          << test::policy_context(seed, chosen, setting, fuse);
    }
    metered += expected.metered;
    dropped += expected.dropped;
    truncated += expected.truncated;
    for (const auto& [id, counts] : expected.groups)
      for (const std::int64_t of_rule : counts.hits) hits += of_rule;
    labels += lines_with_something(expected.csv, "labels");
    for (const char* column : {"name", "sni", "host", "other"}) names += lines_with_something(expected.csv, column);
    several += static_cast<std::size_t>(std::ranges::count(expected.csv, ';'));
  }
  const auto cases = static_cast<std::int64_t>(test::property_cases(kCases));  // it is no trivial agreement
  EXPECT_GT(lines, static_cast<std::size_t>(cases * 8 / 10));
  EXPECT_GT(metered, 20 * cases);
  EXPECT_GT(dropped, cases);
  EXPECT_GT(truncated, cases / 2);
  EXPECT_GT(hits, 10 * cases);
  EXPECT_GT(labels, static_cast<std::size_t>(2 * cases));
  EXPECT_GT(several, static_cast<std::size_t>(cases));
  EXPECT_GT(names, static_cast<std::size_t>(cases / 10));
}

// Biflows and sums have the labels of all of their Flow Records; the order shows nothing of threads.
TEST(Policies, GiveTheSameInAllFormsForAnyThreadsAndBatches) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = kFirst; seed < kFirst + test::property_cases(test::usual_policy_cases(40)); ++seed) {
    const PolicyCase chosen = test::policy_case(seed);
    const test::Captures captures = {chosen.capture()};
    for (const bool biflow : {false, true}) {
      reference::Options options = chosen.options;
      options.aggregate = !biflow;
      const auto run = [&](Setting setting, bool fuse) {
        const auto policy = test::with_policy(chosen.policy, {.fuse = fuse, .bounds = chosen.bounds});
        setting.also = [=](ExtractOptions& to) {
          policy(to);
          to.biflow = biflow;
        };
        return InProcess().run(captures, options, setting);
      };
      const test::Extracted expected = run({}, true);
      for (const Setting& setting : test::kPolicySettings) {
        ASSERT_TRUE(test::same_csv(expected.csv, run(setting, setting.threads % 2).csv))
            << test::policy_context(seed, chosen, setting, true);
      }
    }
  }
}

// Of connections that are forgotten for want of memory, something is lost; what, depends on the trace alone.
TEST(Policies, WithLittleMemoryAreTheSameForAnyThreadsAndBatches) {
  const test::SilentErrors silent;
  std::uint64_t forgotten = 0;
  for (std::uint64_t seed = kFirst; seed < kFirst + test::property_cases(test::usual_policy_cases(40)); ++seed) {
    PolicyCase chosen = test::policy_case(seed);
    chosen.shape.conversations = 60;
    const test::Captures captures = {chosen.capture()};
    const auto run = [&](Setting setting) {
      setting.also = test::with_policy(chosen.policy, {.bounds = chosen.bounds});
      setting.memory = test::kLittlePolicyMemory;
      return InProcess().run(captures, chosen.options, setting);
    };
    const test::Extracted expected = run({});
    forgotten += expected.stats["policy"]["forgotten_connections"].get<std::uint64_t>();
    for (const Setting& setting : test::kPolicySettings) {
      const test::Extracted got = run(setting);
      ASSERT_TRUE(test::same_csv(expected.csv, got.csv)) << test::policy_context(seed, chosen, setting, true);
      ASSERT_EQ(expected.stats["policy"], got.stats["policy"]) << test::policy_context(seed, chosen, setting, true);
    }
  }
  EXPECT_GT(forgotten, 0u);
}

// Labels that depend on the packet alone, so that it does not matter whether its connection was forgotten.
constexpr const char* kHeaderPolicy = R"([init]
default = 1
[[group]]
id = 1
match = 2
mismatch = 2
mode = "all"
rule = [{ protocol = "udp", label = "udp", scope = "flow" }, { flags = "F", label = "closed", scope = "flow" },
        { flags = "S", label = "opened", scope = "flow" }]
[[group]]
id = 2
rule = [{ length = "1000-", label = "long", scope = "flow" }]
)";

// What is behind the columns of counters.
std::vector<std::string> labels_of(const std::string& csv) {
  std::istringstream lines(csv);
  std::vector<std::string> labels;
  for (std::string line; std::getline(lines, line);) labels.push_back(line.substr(line.rfind(',')));
  return labels;
}

// Flows that were evicted and put together again have all labels of their parts, and no others.
TEST(Policies, GiveTheSameLabelsToFlowsThatWereEvicted) {
  const auto with_labels = [](ExtractOptions& options) {
    options.policy.policy = std::make_shared<CompiledPolicy>(PolicyMemory::load(kHeaderPolicy), true);
    options.output.extra_columns.push_back(std::make_shared<AnnotationColumn>("labels", kLabelsColumn, true));
  };
  reference::Options options;
  options.active_timeout = 0;
  options.idle_timeout = 500'000'000;
  const auto bytes = test::ManyFlows(47, 5000).capture(30'000);
  InProcess program;
  const auto whole = program.run({bytes}, options, {.also = with_labels});
  ASSERT_EQ(whole.stats["evicted flows"], 0);
  const std::vector<std::string> expected = labels_of(whole.csv);
  EXPECT_GT(std::ranges::count(expected, ",opened;long;closed"), 20);
  for (const Setting& setting :
       {Setting{.memory = test::kLittlePolicyMemory, .also = with_labels},
        Setting{.threads = 5, .batch = 50, .memory = test::kLittlePolicyMemory, .also = with_labels}}) {
    const auto evicted = program.run({bytes}, options, setting);
    ASSERT_GT(evicted.stats["evicted flows"], 1000);
    ASSERT_GT(evicted.stats["evicted flows joined"], 100);
    EXPECT_EQ(labels_of(evicted.csv), expected) << setting;
  }
}

}  // namespace
}  // namespace warpmeter
