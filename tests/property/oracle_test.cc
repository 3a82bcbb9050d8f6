// The program says what the oracle says, byte for byte, whatever the threads, batches and run files.
#include <gtest/gtest.h>

#include <tuple>

#include "property/in_process.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"

namespace warpmeter {
namespace {

using test::InProcess;
using test::Setting;

constexpr std::uint64_t kCases = 300;
constexpr std::uint64_t kEveryChunk = 1;  // bytes of partials in memory: none, every chunk makes a run

// Each case under three of them, another three for the next.
const std::vector<Setting> kSettings = {
    {1, 8192},
    {2, 7},
    {3, 64, kEveryChunk},
    {7, 1},
    {1, 2, kEveryChunk},
    {2, 8192, kEveryChunk},
    {7, 64},
    {3, 2},
    {1, 1},
    {2, 64},
    {3, 8192},
    {7, 7, kEveryChunk},
};

void check_case(std::uint64_t seed) {
  const reference::RandomCase chosen = reference::random_case(seed);
  const auto bytes = reference::random_traffic(chosen.shape);
  const std::string expected = reference::flow_csv(bytes, chosen.options);
  InProcess program;
  for (std::size_t i = 0; i < 3; ++i) {
    const Setting& setting = kSettings[(seed * 3 + i) % kSettings.size()];
    ASSERT_TRUE(test::same_csv(expected, program.run({bytes}, chosen.options, setting).csv))
        << "seed " << seed << ", " << setting << ", options " << test::arguments_text(chosen.options);
  }
}

TEST(Oracle, AgreesOnRandomTraffic) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = 1; seed <= test::property_cases(kCases); ++seed) {
    check_case(seed);
    if (HasFatalFailure()) return;
  }
}

TEST(Oracle, AgreesUnderEverySetting) {
  const test::SilentErrors silent;
  for (std::uint64_t seed = 10'001; seed <= 10'000 + test::property_cases(kCases) / 30; ++seed) {
    const reference::RandomCase chosen = reference::random_case(seed);
    const auto bytes = reference::random_traffic(chosen.shape);
    const std::string expected = reference::flow_csv(bytes, chosen.options);
    InProcess program;
    for (unsigned threads : {1, 2, 3, 7}) {
      for (std::uint32_t batch : {1, 2, 7, 64, 8192}) {
        const Setting setting{threads, batch, batch % 2 ? kEveryChunk : 0};
        ASSERT_TRUE(test::same_csv(expected, program.run({bytes}, chosen.options, setting).csv))
            << "seed " << seed << ", " << setting << ", options " << test::arguments_text(chosen.options);
      }
    }
  }
}

}  // namespace
}  // namespace warpmeter
