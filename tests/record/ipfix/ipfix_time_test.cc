// Times to the nanosecond, and what becomes of those that IPFIX has no form for.
#include "record/ipfix/message_builder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace warpmeter {
namespace {

// As RFC 7011 says, rounded down, in the NTP era that is nearest to `milliseconds`.
std::int64_t read_back(std::uint64_t ntp, std::uint64_t milliseconds) {
  const auto fraction = static_cast<std::int64_t>(((ntp & UINT32_MAX) * 1'000'000'000) >> 32);
  std::int64_t seconds = static_cast<std::int64_t>(ntp >> 32) - 2'208'988'800;
  const auto about = static_cast<std::int64_t>(milliseconds / 1000);
  while (about - seconds > (std::int64_t{1} << 31)) seconds += std::int64_t{1} << 32;
  return seconds * 1'000'000'000 + fraction;
}

TEST(IpfixTime, NtpHasTheExactNanosecond) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200'000; ++i) {
    const auto ns = static_cast<std::int64_t>(random() >> 1);
    ASSERT_EQ(read_back(ntp_of(ns), milliseconds_of(ns)), ns);
  }
  for (const std::int64_t ns :
       {std::int64_t{0}, std::int64_t{1}, std::int64_t{999'999'999}, std::int64_t{1'000'000'000}, INT64_MAX,
        std::int64_t{-1}, std::int64_t{-1'000'000'000}, std::int64_t{-999'999'999}}) {
    EXPECT_EQ(read_back(ntp_of(ns), milliseconds_of(ns)), ns);
  }
}

TEST(IpfixTime, NtpCountsFrom1900) {
  EXPECT_EQ(ntp_of(0), std::uint64_t{2'208'988'800} << 32);
  EXPECT_EQ(ntp_of(500'000'000), std::uint64_t{2'208'988'800} << 32 | 0x80000001u);
  EXPECT_EQ(ntp_of(2'085'978'496'000'000'000), 0u);  // February 2036: the next era
}

TEST(IpfixTime, MillisecondsAreRoundedDownAndNotBefore1970) {
  EXPECT_EQ(milliseconds_of(1'999'999), 1u);
  EXPECT_EQ(milliseconds_of(-1), 0u);
  EXPECT_EQ(milliseconds_of(INT64_MIN), 0u);
  EXPECT_EQ(milliseconds_of(INT64_MAX), 9'223'372'036'854u);
}

TEST(IpfixTime, ExportTimeStaysWithin32Bits) {
  EXPECT_EQ(export_second(1'700'000'000'999'999'999), 1'700'000'000u);
  EXPECT_EQ(export_second(-1), 0u);
  EXPECT_EQ(export_second(INT64_MIN), 0u);
  EXPECT_EQ(export_second(INT64_MAX), UINT32_MAX);
}

TEST(IpfixTime, TakesEveryTime) {
  EXPECT_EQ(seconds_of(INT64_MIN), -9'223'372'037);
  EXPECT_NE(ntp_of(INT64_MIN), ntp_of(INT64_MAX));
}

}  // namespace
}  // namespace warpmeter
