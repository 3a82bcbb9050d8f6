// Counters that are full are spilled: in real life after four thousand million packets of a flow, here after five.
#include <gtest/gtest.h>

#include "property/in_process.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"

namespace warpmeter {
namespace {

TEST(FullCounter, SpillingDoesNotShow) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = 20'001; seed <= 20'000 + test::property_cases(300); ++seed) {
    const reference::RandomCase chosen = reference::random_case(seed);
    const auto bytes = reference::random_traffic(chosen.shape);
    const test::Setting setting{2, 64, seed % 2, 5};
    test::InProcess program;
    ASSERT_TRUE(
        test::same_csv(reference::flow_csv(bytes, chosen.options), program.run({bytes}, chosen.options, setting).csv))
        << "seed " << seed << ", " << setting << ", options " << test::arguments_text(chosen.options);
  }
}

}  // namespace
}  // namespace warpmeter
