// Which pages are due: well behind, in large steps, each once.
#include "capture/pages_behind.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

TEST(PagesBehind, EachPageOnceAndWellBehind) {
  PagesBehind behind;
  std::uint64_t dropped = 0;
  int times = 0;
  for (std::uint64_t at = 0; at < 2000 * kMiB; at += kMiB) {
    const PagesBehind::Range due = behind.passed(at);
    if (due.until == due.from) continue;
    EXPECT_EQ(due.from, dropped);
    EXPECT_GE(due.until, due.from + 64 * kMiB);
    EXPECT_LE(due.until + 64 * kMiB, at);
    dropped = due.until;
    ++times;
  }
  EXPECT_GE(dropped, (2000 - 192) * kMiB);
  EXPECT_LE(times, 2000 / 64);
}

}  // namespace
}  // namespace warpmeter
