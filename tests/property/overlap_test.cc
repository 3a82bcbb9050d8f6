// Of bytes that came twice the copy is kept that the oracle keeps, under each policy, and nothing else differs.
#include <gtest/gtest.h>

#include "property/in_process.h"
#include "property/reassembled.h"
#include "reference/oracle_segment.h"
#include "reference/stream_oracle.h"

namespace warpmeter {
namespace {

using reference::Overlap;

constexpr std::uint64_t kOverlapCases = 300;
constexpr Overlap kOthers[] = {Overlap::last, Overlap::bsd, Overlap::linux_, Overlap::windows};

// Much of it comes late, again, and with other bytes, in few connections that wait for long.
reference::StreamCase overlapping_case(std::uint64_t seed) {
  reference::StreamCase made = reference::stream_case(seed);
  reference::Random random(seed ^ 0x6f7665726c6170);
  made.options.gap_packets = random.pick({1, 8, 8, 50, 1000});
  made.shape.conversations = random.pick({1u, 1u, 3u});
  made.shape.damage_percent = 0;
  reference::TalkHabits& habits = made.shape.habits;
  habits.odd_percent = random.pick({20u, 60u, 90u});
  habits.hold_percent = random.pick({10u, 40u});
  habits.lose_percent = random.pick({0u, 5u, 20u});
  habits.longest = random.pick({5u, 20u, 40u, 300u});
  habits.restart_percent = 1;
  return made;
}

reference::Streams kept_by_the_oracle(const reference::Capture& capture, const reference::StreamOptions& options) {
  reference::StreamOracle oracle(options);
  std::int64_t number = 0;
  for (const reference::Frame& frame : capture.frames) {
    ++number;
    for (const auto& segment : reference::segments_of(frame, options.decapsulate, number)) oracle.take(segment);
  }
  return oracle.finish();
}

// Without what policies may decide.
reference::Streams without_bytes(reference::Streams streams) {
  for (auto& connection : streams.connections) {
    for (auto& way : connection.ways) way.counts.conflicting_bytes = 0;
    for (auto& block : connection.blocks) {
      for (auto& part : block.parts) std::ranges::fill(part.bytes, std::uint8_t{0});
    }
  }
  return streams;
}

TEST(Overlap, IsDecidedAsByTheOracle) {
  std::array<int, std::size(kOthers)> decided{};
  for (std::uint64_t seed = 1; seed <= test::property_cases(kOverlapCases); ++seed) {
    reference::StreamCase chosen = overlapping_case(seed);
    const auto file = reference::stream_traffic(chosen.shape);
    const reference::Capture capture = reference::read_capture(file);
    const reference::Streams first = kept_by_the_oracle(capture, chosen.options);
    for (std::size_t i = 0; i < std::size(kOthers); ++i) {
      chosen.options.overlap = kOthers[i];
      const reference::Streams expected = kept_by_the_oracle(capture, chosen.options);
      decided[i] += expected != first;
      const test::StreamSetting setting = seed % 2 ? test::StreamSetting{1, 512} : test::StreamSetting{3, 7};
      const test::Reassembled got = test::reassembled(capture, chosen.options, setting);
      ASSERT_TRUE(test::same_streams(expected, got.streams)) << "seed " << seed << ", policy " << i << ", " << setting;
      ASSERT_EQ(without_bytes(got.streams), without_bytes(first)) << "seed " << seed << ", policy " << i;
    }
  }
  for (const int cases : decided) EXPECT_GT(cases, 0);
}

}  // namespace
}  // namespace warpmeter
