// Every end reason has words, each its own.
#include "warpmeter/end_reason.h"

#include <gtest/gtest.h>

#include <set>

#include "core/flow_boundary.h"

namespace warpmeter {
namespace {

TEST(EndReasonWords, ByNumber) {
  EXPECT_EQ(end_reason_words(static_cast<int>(EndReason::idle)), "idle timeout");
  EXPECT_EQ(end_reason_words(static_cast<int>(EndReason::active)), "active timeout");
  EXPECT_EQ(end_reason_words(static_cast<int>(EndReason::end_of_flow)), "end of flow");
  EXPECT_EQ(end_reason_words(static_cast<int>(EndReason::forced)), "end of input");
  EXPECT_EQ(end_reason_words(static_cast<int>(EndReason::lack_of_resources)), "lack of resources");
}

TEST(EndReasonWords, NoneForOtherNumbers) {
  for (const std::int64_t other : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{6}, INT64_MAX}) {
    EXPECT_EQ(end_reason_words(other), "") << other;
  }
}

}  // namespace
}  // namespace warpmeter
