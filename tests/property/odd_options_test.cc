// Options that nobody would choose, on the same random traffic; and few file descriptors.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "property/in_process.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"
#include "reference/reference_random.h"

namespace warpmeter {
namespace {

using test::InProcess;
using test::Setting;

constexpr std::int64_t kLongest = std::int64_t{1} << 62;  // more than any two packet times are apart

reference::Options odd_options(std::uint64_t seed) {
  reference::Random random(seed);
  const auto time = [&] { return random.pick<std::int64_t>({0, 1, 2, 999, 1'000'000, 7'777'777'777, kLongest}); };
  reference::Options options;
  options.idle_timeout = time();
  options.active_timeout = time();
  options.duplicate_window = random.pick<std::int64_t>({0, 1, 2, 3, 31, 32, 33, 1 << 24});
  options.duplicate_gap = time();
  options.duplicate_gap_anonymous = time();
  options.aggregate = random.percent(30);
  options.key_vlan = random.percent(30);
  return options;
}

TEST(OddOptions, AgreeWithTheOracle) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = 60'001; seed <= 60'000 + test::property_cases(300); ++seed) {
    reference::TrafficShape shape = reference::random_case(seed).shape;
    const reference::Options options = odd_options(seed);
    shape.idle_timeout = std::min<std::int64_t>(options.idle_timeout, 1'000'000'000'000);
    shape.active_timeout = std::min<std::int64_t>(options.active_timeout, 1'000'000'000'000);
    shape.duplicate_window = static_cast<std::uint32_t>(options.duplicate_window);
    const auto bytes = reference::random_traffic(shape);
    const Setting setting{static_cast<unsigned>(1 + seed % 4), static_cast<std::uint32_t>(1 + seed % 300), seed % 2};
    InProcess program;
    ASSERT_TRUE(test::same_csv(reference::flow_csv(bytes, options), program.run({bytes}, options, setting).csv))
        << "seed " << seed << ", " << setting << ", options " << test::arguments_text(options);
  }
}

// With 48 descriptors six runs are merged at once: the 64 shards' chunks pass through three levels, 64 + 10 + 1 runs.
class FewDescriptors {
 public:
  FewDescriptors() {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = 48;
    setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(FewDescriptors, LevelsOfRunsAreMerged) {
  const FewDescriptors few;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto bytes = reference::random_traffic({.seed = seed, .packets = 3000, .keys = 2000});
    InProcess program;
    const auto got = program.run({bytes}, {}, {.threads = static_cast<unsigned>(seed), .run_memory = 1});
    ASSERT_TRUE(test::same_csv(reference::flow_csv(bytes, {}), got.csv)) << "seed " << seed;
    EXPECT_GT(got.stats["runs written"], 70) << "seed " << seed;
  }
}

}  // namespace
}  // namespace warpmeter
