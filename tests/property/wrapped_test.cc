// Frames of all link types and tunnels of all kinds, damaged ones among them: the program says what the oracle says,
// and ignores the same packets for the same reasons.
#include <gtest/gtest.h>

#include "property/in_process.h"
#include "reference/link.h"
#include "reference/random_traffic.h"
#include "reference/reference.h"

namespace warpmeter {
namespace {

using test::InProcess;
using test::Setting;

constexpr std::uint64_t kFirst = 70'000;
constexpr std::uint64_t kCasesOfALink = 5;

const char* name_of(reference::Ignored reason) {
  switch (reason) {
    case reference::Ignored::not_ip: return "not IP";
    case reference::Ignored::cut_short: return "cut short";
    case reference::Ignored::bad_version: return "bad IP version";
    case reference::Ignored::bad_header_length: return "bad IP header length";
    case reference::Ignored::bad_length: return "bad IP length";
    case reference::Ignored::not_sampled: return "not sampled";
  }
  return "";
}

void expect_same_counts(const reference::Summary& expected, const nlohmann::json& stats) {
  EXPECT_EQ(expected.frames, stats["packets read"].get<std::int64_t>());
  EXPECT_EQ(expected.metered, stats["packets metered"].get<std::int64_t>());
  EXPECT_EQ(expected.short_transport_headers, stats["short transport headers"].get<std::int64_t>());
  EXPECT_EQ(expected.malformed_segments, stats["malformed segments"].get<std::int64_t>());
  for (const auto& [reason, packets] : expected.ignored)
    EXPECT_EQ(packets, stats["ignored"].value(name_of(reason), std::int64_t{0})) << name_of(reason);
}

TEST(Wrapped, AgreesOnRandomTrafficOfEveryLinkType) {
  const test::SilentErrors silent;
  std::int64_t metered = 0, taken_out = 0;
  const std::uint64_t cases = test::property_cases(kCasesOfALink * reference::known_links.size());
  for (std::uint64_t seed = kFirst; seed < kFirst + cases; ++seed) {
    const reference::RandomCase chosen = reference::wrapped_case(seed);
    const test::Captures captures = {reference::random_traffic(chosen.shape)};
    const reference::Extraction expected = reference::extract(captures, chosen.options);
    const Setting setting{static_cast<unsigned>(1 + seed % 3), static_cast<std::uint32_t>(1 + seed % 200)};
    InProcess program;
    const test::Extracted got = program.run(captures, chosen.options, setting);
    const auto context = [&] {
      return "seed " + std::to_string(seed) + ", link type " + std::to_string(chosen.shape.link) + ", options " +
             test::arguments_text(chosen.options);
    };
    ASSERT_TRUE(test::same_csv(expected.csv, got.csv)) << context() << ", " << setting;
    expect_same_counts(expected.summary, got.stats);
    ASSERT_FALSE(HasFailure()) << context();
    metered += expected.summary.metered;
    taken_out += got.stats["taken out of tunnels"].get<std::int64_t>();
  }
  // Traffic worth the name, not noise that both ignore: dozens of packets a case, and some of them from tunnels.
  EXPECT_GT(metered, static_cast<std::int64_t>(50 * cases));
  EXPECT_GT(taken_out, static_cast<std::int64_t>(5 * cases));
}

}  // namespace
}  // namespace warpmeter
