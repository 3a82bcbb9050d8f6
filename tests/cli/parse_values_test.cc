// Sizes, times and lists of GPUs as users write them.
#include "cli/parse_values.h"

#include <gtest/gtest.h>

#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

template <class Parse>
void expect_usage_error(Parse parse, const std::string& text) {
  try {
    const auto value = parse(text);
    ADD_FAILURE() << "'" << text << "' was read as " << value;
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::usage) << text;
    EXPECT_NE(std::string(error.what()).find("'" + text + "'"), std::string::npos) << error.what();
  }
}

TEST(ParseSize, UnitsArePowersOf1024) {
  EXPECT_EQ(parse_size("4096"), 4096u);
  EXPECT_EQ(parse_size("3K"), 3072u);
  EXPECT_EQ(parse_size("512M"), 536'870'912u);
  EXPECT_EQ(parse_size("4G"), 4'294'967'296u);
  EXPECT_EQ(parse_size("2T"), 2'199'023'255'552u);
}

TEST(ParseSize, Fractions) {
  EXPECT_EQ(parse_size("1.5K"), 1536u);
  EXPECT_EQ(parse_size(".5M"), 524'288u);
}

TEST(ParseSize, ZeroIsASize) { EXPECT_EQ(parse_size("0"), 0u); }

TEST(ParseSize, WhatIsNoSize) {
  for (const char* text :
       {"", "M", "-1", "+1", " 1", "1 M", "1X", "1MM", "12kg", "nan", "inf", "1e300", "9999999T", "."}) {
    expect_usage_error(parse_size, text);
  }
}

TEST(ParseCount, UnitsArePowersOf1000) {
  EXPECT_EQ(parse_count("500000"), 500'000u);
  EXPECT_EQ(parse_count("2K"), 2'000u);
  EXPECT_EQ(parse_count("1.5M"), 1'500'000u);
  EXPECT_EQ(parse_count("1G"), 1'000'000'000u);
}

TEST(ParseCount, WhatIsNoCount) {
  for (const char* text : {"", "K", "-1", "1KiB", "10B", "1T", "1 M", "x"}) expect_usage_error(parse_count, text);
}

TEST(ParseTime, SecondsUnlessSaidOtherwise) {
  EXPECT_EQ(parse_time("300"), 300'000'000'000);
  EXPECT_EQ(parse_time("1.5"), 1'500'000'000);
}

TEST(ParseTime, EveryUnit) {
  EXPECT_EQ(parse_time("7ns"), 7);
  EXPECT_EQ(parse_time("20us"), 20'000);
  EXPECT_EQ(parse_time("100ms"), 100'000'000);
  EXPECT_EQ(parse_time("1.5s"), 1'500'000'000);
  EXPECT_EQ(parse_time("5m"), 300'000'000'000);
  EXPECT_EQ(parse_time("2h"), 7'200'000'000'000);
}

TEST(ParseTime, ZeroMeansNeverAndIsATime) {
  EXPECT_EQ(parse_time("0"), 0);
  EXPECT_EQ(parse_time("0ms"), 0);
}

TEST(ParseTime, DecimalFractionsAreExactToTheNanosecond) {
  EXPECT_EQ(parse_time("0.1s"), 100'000'000);
  EXPECT_EQ(parse_time("0.000000001"), 1);
  EXPECT_EQ(parse_time("1.000001ms"), 1'000'001);
}

TEST(ParseTime, WhatIsNoTime) {
  for (const char* text : {"", "s", "-5s", "1 s", "1M", "5sec", "1,5s", "1e300", "9999999999999h", "nan"}) {
    expect_usage_error(parse_time, text);
  }
}

TEST(ParseGpus, NumbersInTheOrderGiven) {
  EXPECT_EQ(parse_gpus("0"), std::vector<int>{0});
  EXPECT_EQ(parse_gpus("3,0,12"), (std::vector<int>{3, 0, 12}));
  EXPECT_TRUE(parse_gpus("all").empty());
}

TEST(ParseGpus, WhatNamesNoGpus) {
  for (const char* text : {"", "x", "-1", "1,", ",1", "1,,2", "1;2", "0,0", "all,0", "99999999999", "1 2"}) {
    try {
      parse_gpus(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), ExitStatus::usage) << text;
    }
  }
}

}  // namespace
}  // namespace warpmeter::test
