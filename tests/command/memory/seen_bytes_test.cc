// New bytes of a direction, against a set of all its numbers.
#include "command/memory/connection_table.h"

#include <gtest/gtest.h>

#include <random>

#include "reference/sequence_set.h"

namespace warpmeter {
namespace {

TEST(SeenBytes, CountsWhatIsNew) {
  SeenBytes seen;
  SeenTotals totals;
  EXPECT_EQ(seen.see(1000, 100, totals), 100u);
  EXPECT_EQ(seen.see(1100, 100, totals), 100u);  // behind
  EXPECT_EQ(seen.see(1050, 100, totals), 0u);    // within
  EXPECT_EQ(seen.see(1150, 100, totals), 50u);   // over the end
  EXPECT_EQ(totals.memory, 0u);                  // of one range
  EXPECT_EQ(seen.see(1300, 10, totals), 10u);    // behind a gap
  EXPECT_EQ(seen.see(1200, 200, totals), 140u);  // over the gap and both ends of it
  EXPECT_EQ(seen.see(900, 50, totals), 50u);     // below
  EXPECT_EQ(seen.see(900, 600, totals), 150u);   // over all: the gap, and behind
}

TEST(SeenBytes, AnythingIsAsInASetOfNumbers) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    SeenBytes seen;
    SeenTotals totals;
    reference::SequenceSet set;
    const std::int64_t base = static_cast<std::int64_t>(random() >> 32);
    for (int i = 0; i < 200; ++i) {
      const std::int64_t first = base + static_cast<std::int64_t>(random() % 2000);
      const auto length = static_cast<std::uint32_t>(1 + random() % 30);
      const std::int64_t fresh = length - set.count(first, first + length);
      set.insert(first, first + length);
      ASSERT_EQ(seen.see(static_cast<std::uint32_t>(first), length, totals), static_cast<std::uint64_t>(fresh));
    }
    EXPECT_EQ(totals.joined, 0u);
    seen.let_go(totals);
    EXPECT_EQ(totals.memory, 0u);
  }
}

TEST(SeenBytes, BeginsAnew) {
  SeenBytes seen;
  SeenTotals totals;
  seen.see(1000, 100, totals);
  seen.see(2000, 100, totals);
  seen.begin(1001, 10, totals);
  EXPECT_EQ(totals.memory, 0u);
  EXPECT_EQ(seen.see(1000, 20, totals), 10u);
  EXPECT_EQ(seen.see(2000, 100, totals), 100u);
}

TEST(SeenBytes, BeginsAnewWithoutAByte) {
  SeenBytes seen;
  SeenTotals totals;
  seen.see(1000, 100, totals);
  seen.begin(5000, 0, totals);
  EXPECT_EQ(seen.see(4000, 100, totals), 100u);
  EXPECT_EQ(seen.see(4000, 100, totals), 0u);
  EXPECT_EQ(seen.see(5000, 100, totals), 100u);
  EXPECT_EQ(seen.see(1000, 100, totals), 100u);
}

TEST(SeenBytes, JoinsTheLowerHalfOfTooManyRanges) {
  SeenBytes seen;
  SeenTotals totals;
  const auto at = [](std::uint32_t i) { return 10 * i; };
  for (std::uint32_t i = 0; i < SeenBytes::kMostRanges; ++i) EXPECT_EQ(seen.see(at(i), 5, totals), 5u);
  EXPECT_EQ(totals.joined, 0u);
  EXPECT_EQ(seen.see(at(SeenBytes::kMostRanges), 5, totals), 5u);
  EXPECT_EQ(totals.joined, SeenBytes::kMostRanges / 2);
  EXPECT_EQ(seen.see(at(7) + 5, 5, totals), 0u);
  EXPECT_EQ(seen.see(at(SeenBytes::kMostRanges - 7) + 5, 5, totals), 5u);
  EXPECT_LE(totals.memory, 2 * SeenBytes::kMostRanges * 16 + 100);
}

TEST(SeenBytes, JoinsAll) {
  SeenBytes seen;
  SeenTotals totals;
  for (std::uint32_t i = 0; i < 10; ++i) seen.see(10 * i, 5, totals);
  seen.join(totals);
  EXPECT_EQ(totals.joined, 9u);
  EXPECT_EQ(totals.memory, 0u);
  EXPECT_EQ(seen.see(0, 100, totals), 5u);
}

}  // namespace
}  // namespace warpmeter
