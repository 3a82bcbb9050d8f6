// Numbers of any length, as the library writes them.
#include "record/text/number_text.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace warpmeter {
namespace {

std::string text_of(std::int64_t value) {
  char text[kNumberText];
  return std::string(text, write_number(text, value));
}

TEST(NumberText, OfEveryLength) {
  for (std::int64_t power = 1; power < INT64_MAX / 10; power *= 10) {
    for (const std::int64_t value : {power - 1, power, power + 1, 10 * power - 1, -power}) {
      ASSERT_EQ(text_of(value), std::to_string(value));
    }
  }
  EXPECT_EQ(text_of(INT64_MAX), "9223372036854775807");
  EXPECT_EQ(text_of(INT64_MIN), "-9223372036854775808");
}

TEST(NumberText, ZerosInTheMiddleStay) {
  EXPECT_EQ(text_of(1'000'000'000), "1000000000");
  EXPECT_EQ(text_of(1'000'000'001), "1000000001");
  EXPECT_EQ(text_of(1'700'000'000'000'000'000), "1700000000000000000");
  EXPECT_EQ(text_of(1'000'000'000'000'000'007), "1000000000000000007");
}

TEST(NumberText, OfAnyNumber) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100'000; ++i) {
    const auto value = static_cast<std::int64_t>(random() >> random() % 64);
    ASSERT_EQ(text_of(value), std::to_string(value));
  }
}

}  // namespace
}  // namespace warpmeter
