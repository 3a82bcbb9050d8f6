// Numbers and names as people read them.
#include "analysis/page/words.h"

#include <gtest/gtest.h>

#include <limits>

namespace warpmeter {
namespace {

TEST(Words, Counts) {
  EXPECT_EQ(words::exact(0), "0");
  EXPECT_EQ(words::exact(999), "999");
  EXPECT_EQ(words::exact(1000), "1,000");
  EXPECT_EQ(words::exact(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
  EXPECT_EQ(words::count(999'999), "999,999");
  EXPECT_EQ(words::count(1'000'000), "1 M");
  EXPECT_EQ(words::count(1'234'000), "1.23 M");
  EXPECT_EQ(words::count(12'345'000), "12.3 M");
  EXPECT_EQ(words::count(999'960'000), "1 G");
  EXPECT_EQ(words::some(1, "flow"), "1 flow");
  EXPECT_EQ(words::some(0, "flow"), "0 flows");
}

TEST(Words, Bytes) {
  EXPECT_EQ(words::bytes(0), "0 B");
  EXPECT_EQ(words::bytes(1023), "1023 B");
  EXPECT_EQ(words::bytes(1000), "1000 B");
  EXPECT_EQ(words::bytes(1024), "1 KiB");
  EXPECT_EQ(words::bytes(1536), "1.50 KiB");
  EXPECT_EQ(words::bytes(std::uint64_t{100} << 30), "100 GiB");
  EXPECT_EQ(words::bit_rate(1.5e6 / 8), "1.50 Mbit/s");
}

TEST(Words, PercentagesNeverRoundToAllOrNothing) {
  EXPECT_EQ(words::percent(0, 10), "0 %");
  EXPECT_EQ(words::percent(0, 0), "0 %");
  EXPECT_EQ(words::percent(10, 10), "100 %");
  EXPECT_EQ(words::percent(999'999, 1'000'000), "> 99.9 %");
  EXPECT_EQ(words::percent(1, 1'000'000), "< 0.01 %");
  EXPECT_EQ(words::percent(82, 10'000), "0.82 %");
  EXPECT_EQ(words::percent(12, 1000), "1.2 %");
  EXPECT_EQ(words::percent(123, 1000), "12 %");
  EXPECT_EQ(words::percent(994, 1000), "99.4 %");
}

TEST(Words, Times) {
  constexpr std::int64_t kOneSecond = 1'000'000'000;
  EXPECT_EQ(words::duration(5, 5), "0 s");
  EXPECT_EQ(words::duration(0, 27'000'000), "27 ms");
  EXPECT_EQ(words::duration(0, 1500), "1.50 us");
  EXPECT_EQ(words::duration(0, 4 * kOneSecond + kOneSecond / 5), "4.20 s");
  EXPECT_EQ(words::duration(0, 185 * kOneSecond), "3 min 5 s");
  EXPECT_EQ(words::duration(0, 7200 * kOneSecond), "2 h");
  EXPECT_EQ(words::duration(0, (2 * 86400 + 7 * 3600) * kOneSecond), "2 d 7 h");
  EXPECT_EQ(words::day(1'700'000'000 * kOneSecond), "2023-11-14");
  EXPECT_EQ(words::time_of_day(1'700'000'000 * kOneSecond), "22:13:20");
  EXPECT_EQ(words::day(-1), "1969-12-31");
  EXPECT_EQ(words::time_of_day(-1), "23:59:59");
  EXPECT_EQ(words::width(200'000'000), "200 ms");
  EXPECT_EQ(words::width(7200 * kOneSecond), "2 h");
}

TEST(Words, Names) {
  EXPECT_EQ(words::service(443), "https");
  EXPECT_EQ(words::service(20), "ftp-data");
  EXPECT_EQ(words::service(27017), "mongodb");
  EXPECT_EQ(words::service(0), "");
  EXPECT_EQ(words::service(65535), "");
  EXPECT_EQ(words::protocol(6), "TCP");
  EXPECT_EQ(words::protocol(253), "IP protocol 253");
  const std::uint8_t address[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  EXPECT_EQ(words::host(6, address), "2001:db8::1");
  EXPECT_EQ(words::host(4, address), "32.1.13.184");
  EXPECT_EQ(words::end_reason(1), "idle timeout (fell silent)");
  EXPECT_EQ(words::end_reason(4), "end of input");
  EXPECT_EQ(words::end_reason(77), "not said");
}

}  // namespace
}  // namespace warpmeter
