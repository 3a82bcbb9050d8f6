// Sizes, times and lists of GPUs as users write them.
#include "app/cli/parse_values.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

template <class Parse>
void expect_usage_error(Parse parse, const std::string& text) {
  try {
    const auto value = parse("--x", text);
    ADD_FAILURE() << "'" << text << "' was read as " << value;
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), ExitStatus::usage) << text;
    const std::string name = "--x " + (text.empty() ? "''" : text) + ": ";
    EXPECT_TRUE(std::string(error.what()).starts_with(name)) << error.what();
  }
}

TEST(ParseSize, UnitsArePowersOf1024) {
  EXPECT_EQ(parse_size("--x", "4096"), 4096u);
  EXPECT_EQ(parse_size("--x", "3K"), 3072u);
  EXPECT_EQ(parse_size("--x", "512M"), 536'870'912u);
  EXPECT_EQ(parse_size("--x", "4G"), 4'294'967'296u);
  EXPECT_EQ(parse_size("--x", "2T"), 2'199'023'255'552u);
}

TEST(ParseSize, Fractions) {
  EXPECT_EQ(parse_size("--x", "1.5K"), 1536u);
  EXPECT_EQ(parse_size("--x", ".5M"), 524'288u);
}

TEST(ParseSize, LettersOfEitherCaseAndSuffixes) {
  for (const char* text : {"1g", "1G", "1GiB", "1gib", "1Gi"}) EXPECT_EQ(parse_size("--x", text), 1u << 30) << text;
  EXPECT_EQ(parse_size("--x", "10k"), 10'240u);
  EXPECT_EQ(parse_size("--x", "1m"), 1u << 20);
  EXPECT_EQ(parse_size("--x", "1GB"), 1'000'000'000u);
  EXPECT_EQ(parse_size("--x", "1.5kb"), 1'500u);
  EXPECT_EQ(parse_size("--x", "7B"), 7u);
}

TEST(ParseSize, ZeroIsASize) { EXPECT_EQ(parse_size("--x", "0"), 0u); }

TEST(ParseSize, WhatIsNoSize) {
  for (const char* text :
       {"", "M", "-1", "+1", " 1", "1 M", "1X", "1MM", "1bb", "12kg", "nan", "inf", "1e300", "9999999T", "."}) {
    expect_usage_error(parse_size, text);
  }
}

TEST(ParseCount, UnitsArePowersOf1000) {
  EXPECT_EQ(parse_count("--x", "500000"), 500'000u);
  EXPECT_EQ(parse_count("--x", "2K"), 2'000u);
  EXPECT_EQ(parse_count("--x", "1.5M"), 1'500'000u);
  EXPECT_EQ(parse_count("--x", "1G"), 1'000'000'000u);
  EXPECT_EQ(parse_count("--x", "10k"), 10'000u);
  EXPECT_EQ(parse_count("--x", "2Ki"), 2'048u);
}

TEST(ParseCount, WhatIsNoCount) {
  for (const char* text : {"", "K", "-1", "1KiB", "10B", "1KB", "0.4", "1 M", "x"})
    expect_usage_error(parse_count, text);
}

TEST(ParseTime, SecondsUnlessSaidOtherwise) {
  EXPECT_EQ(parse_time("--x", "300"), 300'000'000'000);
  EXPECT_EQ(parse_time("--x", "1.5"), 1'500'000'000);
}

TEST(ParseTime, EveryUnit) {
  EXPECT_EQ(parse_time("--x", "7ns"), 7);
  EXPECT_EQ(parse_time("--x", "20us"), 20'000);
  EXPECT_EQ(parse_time("--x", "100ms"), 100'000'000);
  EXPECT_EQ(parse_time("--x", "1.5s"), 1'500'000'000);
  EXPECT_EQ(parse_time("--x", "5m"), 300'000'000'000);
  EXPECT_EQ(parse_time("--x", "5min"), 300'000'000'000);
  EXPECT_EQ(parse_time("--x", "2h"), 7'200'000'000'000);
  EXPECT_EQ(parse_time("--x", "2d"), 172'800'000'000'000);
}

TEST(ParseTime, ZeroMeansNeverAndIsATime) {
  EXPECT_EQ(parse_time("--x", "0"), 0);
  EXPECT_EQ(parse_time("--x", "0ms"), 0);
}

TEST(ParseTime, DecimalFractionsAreExactToTheNanosecond) {
  EXPECT_EQ(parse_time("--x", "0.1s"), 100'000'000);
  EXPECT_EQ(parse_time("--x", "0.000000001"), 1);
  EXPECT_EQ(parse_time("--x", "1.000001ms"), 1'000'001);
}

TEST(ParseTime, WhatIsNoTime) {
  for (const char* text : {"", "s", "-5s", "1 s", "1M", "5sec", "1,5s", "1e300", "9999999999999h", "nan"}) {
    expect_usage_error(parse_time, text);
  }
}

TEST(ParseValues, ErrorsTellWhatIsWrong) {
  const auto said = [](auto parse, const char* text) { return thrown_text([&] { parse("--x", text); }); };
  EXPECT_EQ(said(parse_size, "12x"), "--x 12x: not a size: bytes, or a number with K, M, G or T, such as 64M");
  EXPECT_EQ(said(parse_size, "9999999T"), "--x 9999999T: too large");
  EXPECT_EQ(said(parse_size, "99999999999999999999"), "--x 99999999999999999999: too large");
  EXPECT_EQ(said(parse_time, "9999999999999h"), "--x 9999999999999h: too large");
  EXPECT_EQ(said(parse_time, "-5s"), "--x -5s: less than 0");
  EXPECT_EQ(said(parse_count, "-1"), "--x -1: less than 0");
  EXPECT_EQ(said(parse_count, "nan"), "--x nan: not a whole number: perhaps with K, M or G, such as 500K");
  EXPECT_EQ(said(parse_time, "5M").find("--x 5M: not a time: seconds, or"), 0u);
}

TEST(AddedOptions, SetWhatTheyAreOf) {
  CLI::App app;
  std::uint32_t size = 7;
  std::int64_t time = 7;
  std::chrono::milliseconds rounded{7};
  std::optional<bool> word;
  add_size(app, "--size", size, "", {.least = 2, .most = 4096, .said = "2 to 4K"});
  add_time(app, "--time", time, "", {.least = 1000, .said = "1us or more", .shows_value = true, .or_zero = true});
  add_time(app, "--rounded", rounded, "");
  add_word(app, "--word", word, {{"no", false}, {"yes", true}}, "");
  const auto said = [&app](const std::string& words) { return thrown_text([&] { app.parse(words); }); };
  app.parse("");
  EXPECT_EQ(size, 7u);
  EXPECT_EQ(word, std::nullopt);
  app.parse("--size 4K --time 2s --rounded 1.5s --word no");
  EXPECT_EQ(size, 4096u);
  EXPECT_EQ(time, 2'000'000'000);
  EXPECT_EQ(rounded.count(), 1500);
  EXPECT_EQ(word, false);
  app.parse("--time 0");
  EXPECT_EQ(time, 0);
  EXPECT_EQ(said("--size 5K"), "--size: 2 to 4K");
  EXPECT_EQ(said("--time 5ns"), "--time 5ns: 1us or more");
  EXPECT_EQ(said("--time=-1"), "--time -1: less than 0");
  EXPECT_THROW(app.parse("--word perhaps"), CLI::ValidationError);
  EXPECT_EQ(app.get_option("--size")->get_type_name(), "SIZE");
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
