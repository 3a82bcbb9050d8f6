// Times as they are written, and the time between two.
#include "warpmeter/time_form.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min(),
                       kMost = std::numeric_limits<std::int64_t>::max();

TEST(TimeForm, TimeBetweenMoments) {
  EXPECT_EQ(duration_in(TimeForm::ns, 5, 12), 7);
  EXPECT_EQ(duration_in(TimeForm::ns, 12, 5), -7);
  EXPECT_EQ(duration_in(TimeForm::us, 1'500, 3'499), 2);
}

// A file of others may hold any times.
TEST(TimeForm, TimeBetweenMomentsThatAreTooFarApart) {
  EXPECT_EQ(duration_in(TimeForm::ns, kLeast, 1'700'000'000'000'000'000), kMost);
  EXPECT_EQ(duration_in(TimeForm::ns, kLeast, kMost), kMost);
  EXPECT_EQ(duration_in(TimeForm::iso, kMost, kLeast), kLeast);
  EXPECT_EQ(duration_in(TimeForm::us, kLeast, kMost), 18'446'744'073'709'551);
}

}  // namespace
}  // namespace warpmeter
