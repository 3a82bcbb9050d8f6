// Defaults that the definitions fix, and exit statuses that scripts rely on.
#include "core/options.h"

#include <gtest/gtest.h>

#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

TEST(Options, DuplicateDefaults) {
  const MeterOptions options;
  EXPECT_EQ(options.duplicates.window, 1024u);
  EXPECT_EQ(options.duplicates.gap_ns, 100 * 1'000'000);
  EXPECT_EQ(options.duplicates.gap_anonymous_ns, 1'000'000);
}

TEST(Options, MethodDefaults) {
  const MeterOptions options;
  EXPECT_EQ(options.method, Method::exact);
  EXPECT_EQ(options.five_tuple.block, 0u);
  EXPECT_EQ(options.five_tuple.gap_ns, 0);
}

// Packet numbers begin with 1, blocks with 0.
TEST(Options, BlocksHoldAsManyPacketsAsTheyAreLong) {
  EXPECT_EQ(block_of(1, 10), 0u);
  EXPECT_EQ(block_of(10, 10), 0u);
  EXPECT_EQ(block_of(11, 10), 1u);
  EXPECT_EQ(block_of(7, 1), 6u);
  EXPECT_EQ(block_of(UINT64_MAX, UINT64_MAX), 0u);
  EXPECT_EQ(block_of(UINT64_MAX, 1), UINT64_MAX - 1);
}

TEST(Status, ExitStatuses) {
  EXPECT_EQ(static_cast<int>(ExitStatus::ok), 0);
  EXPECT_EQ(static_cast<int>(ExitStatus::failed), 1);
  EXPECT_EQ(static_cast<int>(ExitStatus::usage), 2);
  EXPECT_EQ(static_cast<int>(ExitStatus::damaged), 3);
  EXPECT_EQ(static_cast<int>(ExitStatus::interrupted), 130);
}

TEST(Status, ErrorsFailUnlessSaidOtherwise) {
  EXPECT_EQ(Error("x").status(), ExitStatus::failed);
  EXPECT_EQ(Error("x", ExitStatus::usage).status(), ExitStatus::usage);
  EXPECT_STREQ(Error("what went wrong").what(), "what went wrong");
}

}  // namespace
}  // namespace warpmeter::test
