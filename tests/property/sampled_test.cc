// --sample-flows: the program takes the flows that the oracle takes, and counts every packet of the others, on the CPU
// and by the engine of the CUDA backend, whatever threads and batches.
#include <gtest/gtest.h>

#include <set>

#include "property/engine_under_test.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"

namespace warpmeter {
namespace {

using test::InProcess;
using test::Setting;

constexpr std::uint64_t kFirstSampled = 170'000, kSampledCases = 200;

std::int64_t counted(const nlohmann::json& stats, const char* name) { return stats[name].get<std::int64_t>(); }

TEST(Sampled, AgreesWithTheOracle) {
  const test::SilentErrors silent;
  std::int64_t metered = 0, left_out = 0;
  for (std::uint64_t seed = kFirstSampled; seed < kFirstSampled + test::property_cases(kSampledCases); ++seed) {
    const reference::RandomCase chosen = reference::sampled_case(seed);
    const test::Captures captures = {reference::random_traffic(chosen.shape)};
    const reference::Extraction expected = reference::extract(captures, chosen.options);
    const std::int64_t not_sampled = expected.summary.ignored.contains(reference::Ignored::not_sampled)
                                         ? expected.summary.ignored.at(reference::Ignored::not_sampled)
                                         : 0;
    const Setting settings[] = {
        {static_cast<unsigned>(1 + seed % 3), static_cast<std::uint32_t>(1 + seed % 200)},
        test::on_engine_under_test({.batch = 64, .devices = static_cast<int>(1 + seed % 3)}, {.threads = 2})};
    for (const Setting& setting : settings) {
      InProcess program;
      const test::Extracted got = program.run(captures, chosen.options, setting);
      const std::string context = "seed " + std::to_string(seed) + ", options " + test::arguments_text(chosen.options);
      if (got.stats["late packets"] == 0) {
        ASSERT_TRUE(test::same_csv(expected.csv, got.csv)) << context << ", " << setting;
      }
      ASSERT_EQ(counted(got.stats, "packets metered"), expected.summary.metered) << context;
      ASSERT_EQ(counted(got.stats["ignored"], "not sampled"), not_sampled) << context;
      ASSERT_EQ(got.stats["sample of flows"], "1/" + std::to_string(chosen.options.sample_one_in)) << context;
    }
    metered += expected.summary.metered;
    left_out += not_sampled;
  }
  EXPECT_GT(metered, 1000);
  EXPECT_GT(left_out, 1000);
}

// Of the lines of a run without it, some: all else is as it was. Half of the flows, give or take what chance does.
TEST(Sampled, RecordsAreThoseOfARunOfAllFlows) {
  const auto bytes = reference::random_traffic({.seed = 5, .packets = 3000, .keys = 2000});
  reference::Options options{.idle_timeout = 0, .active_timeout = 0};
  std::istringstream all_lines(reference::flow_csv(bytes, options));
  std::set<std::string> all;
  for (std::string line; std::getline(all_lines, line);) all.insert(line);
  options.sample_one_in = 2;
  std::istringstream lines(InProcess().run({bytes}, options, {.threads = 2}).csv);
  std::size_t found = 0;
  for (std::string line; std::getline(lines, line); ++found) EXPECT_TRUE(all.contains(line)) << line;
  EXPECT_GT(found, all.size() * 2 / 5);
  EXPECT_LT(found, all.size() * 3 / 5);
}

}  // namespace
}  // namespace warpmeter
