// What is progress and what is not.
#include "record/collector/tcp_sender.h"

#include <gtest/gtest.h>

#include <thread>

namespace warpmeter {
namespace {

using std::chrono::milliseconds;

// Whether seeing so much is progress.
bool counts(CollectorProgress& progress, std::uint64_t taken, std::uint64_t handed) {
  const CollectorProgress::Clock::time_point before = progress.since();
  std::this_thread::sleep_for(milliseconds(1));
  progress.saw(taken, handed);
  return progress.since() > before;
}

TEST(CollectorProgress, IsAsManyBytesAsTheLeastRateWants) {
  CollectorProgress progress(milliseconds(2000));
  constexpr std::uint64_t kLeast = 2 * CollectorProgress::kLeastBytesPerSecond, kAll = 1 << 30;
  progress.aim_beyond(100);
  EXPECT_FALSE(counts(progress, 100, kAll));
  EXPECT_TRUE(counts(progress, 101, kAll));
  EXPECT_FALSE(counts(progress, 100 + kLeast, kAll));
  EXPECT_TRUE(counts(progress, 101 + kLeast, kAll));
  EXPECT_FALSE(counts(progress, 102 + kLeast, kAll));
}

TEST(CollectorProgress, IsAllThatThereWasToTake) {
  CollectorProgress progress(milliseconds(2000));
  EXPECT_TRUE(counts(progress, 10, 30));
  EXPECT_FALSE(counts(progress, 29, 60));
  EXPECT_TRUE(counts(progress, 30, 60));
  EXPECT_FALSE(counts(progress, 59, 1000));
  EXPECT_TRUE(counts(progress, 60, 1000));
}

}  // namespace
}  // namespace warpmeter
