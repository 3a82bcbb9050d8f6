// Values as people write them.
#include "analysis/query/literal.h"

#include <gtest/gtest.h>

#include "analysis/query/flow_of.h"

namespace warpmeter {
namespace {

TEST(Literal, Numbers) {
  EXPECT_EQ(number_literal("0"), 0);
  EXPECT_EQ(number_literal("9223372036854775807"), INT64_MAX);
  EXPECT_EQ(number_literal("1.5M"), 1'500'000);
  EXPECT_EQ(number_literal("10k"), 10'000);
  EXPECT_EQ(number_literal("2Gi"), std::int64_t{2} << 30);
  EXPECT_EQ(number_literal("0.3K"), 300);
  for (const char* text :
       {"", "x", "1.5", "K", "1KB", "0.0001K", "nan", "inf", "-", "0.3", "9e99", "99999999T", "1 K", "0x10"}) {
    EXPECT_FALSE(number_literal(text)) << text;
  }
}

TEST(Literal, BytesAreThoseOfSizes) {
  EXPECT_EQ(bytes_literal("1500"), 1500);
  EXPECT_EQ(bytes_literal("2M"), 2 << 20);
  EXPECT_EQ(bytes_literal("2MiB"), 2 << 20);
  EXPECT_EQ(bytes_literal("2MB"), 2'000'000);
  EXPECT_EQ(bytes_literal("0.1M"), 104'858);
  for (const char* text : {"", "1.5", "M", "1 M", "1Mb/s"}) EXPECT_FALSE(bytes_literal(text)) << text;
}

TEST(Literal, Spans) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  EXPECT_EQ(span_literal("1.5", kSecond), 1'500'000'000);
  EXPECT_EQ(span_literal("1500", 1), 1500);
  EXPECT_EQ(span_literal("300ms", kSecond), 300'000'000);
  EXPECT_EQ(span_literal("7ns", kSecond), 7);
  EXPECT_EQ(span_literal("20us", 1), 20'000);
  EXPECT_EQ(span_literal("2m", 1), 120 * kSecond);
  EXPECT_EQ(span_literal("1h", 1), 3600 * kSecond);
  EXPECT_EQ(span_literal("1d", 1), 86400 * kSecond);
  for (const char* text : {"", "s", "1x", "0.5ns", "1 s", "1M", "1H", "nans", "99999d99"})
    EXPECT_FALSE(span_literal(text, kSecond)) << text;
}

TEST(Literal, MacAddresses) {
  EXPECT_EQ(mac_literal("02:00:5e:10:00:0a"), "02:00:5e:10:00:0a");
  EXPECT_EQ(mac_literal("02-00-5E-10-00-0A"), "02:00:5e:10:00:0a");
  for (const char* text :
       {"", "02:00:5e:10:00", "02:00:5e:10:00:0a:", "02:00:5e:10:00:0g", "02005e10000a", "0200:5e:10:00:0a0"})
    EXPECT_FALSE(mac_literal(text)) << text;
}

TEST(Literal, Times) {
  EXPECT_EQ(time_literal("12345"), 12345);
  EXPECT_EQ(time_literal("1970-01-01"), 0);
  EXPECT_EQ(time_literal("1970-01-02T00:00"), 86'400'000'000'000);
  EXPECT_EQ(time_literal("2023-11-14 22:13:20"), 1'700'000'000'000'000'000);
  EXPECT_EQ(time_literal("2023-11-14T22:13:20"), 1'700'000'000'000'000'000);
  EXPECT_EQ(time_literal("2023-11-14T22:13:20.123456789Z"), 1'700'000'000'123'456'789);
  EXPECT_EQ(time_literal("2023-11-14T22:13:20.5"), 1'700'000'000'500'000'000);
  EXPECT_EQ(time_literal("1969-12-31T23:59:59.999999999"), -1);
  for (const char* text : {"", "2023-13-01", "2023-02-30", "2023-11-14T", "2023-11-14T24:00", "2023-11-14 ",
                           "2023-11-14  22:13", "2023-11-14T22", "2023-11-14T22:13:20.",
                           "2023-11-14T22:13:20.1234567890", "2023-11-14T22:13:20+01:00", "9999-01-01", "2023-1-1"}) {
    EXPECT_FALSE(time_literal(text)) << text;
  }
}

TEST(Literal, Shares) {
  EXPECT_EQ(share_literal("0.5"), 0.5);
  EXPECT_EQ(share_literal("50%"), 0.5);
  for (const char* text : {"", "%", "1%%", "half", "inf", "nan"}) EXPECT_FALSE(share_literal(text)) << text;
}

TEST(Literal, Prefixes) {
  const auto covers = [](const char* prefix, const char* address) {
    const FlowKey key = test::key_between(address, address);
    return prefix_literal(prefix)->covers(key.version, key.source);
  };
  EXPECT_TRUE(covers("10.0.0.1", "10.0.0.1"));
  EXPECT_FALSE(covers("10.0.0.1", "10.0.0.2"));
  EXPECT_TRUE(covers("10.16.0.0/12", "10.31.255.255"));
  EXPECT_FALSE(covers("10.16.0.0/12", "10.32.0.0"));
  EXPECT_TRUE(covers("10.99.9.9/8", "10.0.0.1"));  // bits beyond the prefix do not matter
  EXPECT_TRUE(covers("0.0.0.0/0", "1.2.3.4"));
  EXPECT_FALSE(covers("0.0.0.0/0", "::1"));
  EXPECT_TRUE(covers("2001:db8::/33", "2001:db8:7fff::1"));
  EXPECT_FALSE(covers("2001:db8::/33", "2001:db8:8000::1"));
  for (const char* text : {"", "10.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "::/129", "host", "10.0.0.0/8/8"}) {
    EXPECT_FALSE(prefix_literal(text)) << text;
  }
}

TEST(Literal, CutsToPrefix) {
  FlowKey key = test::key_between("255.255.255.255", "0.0.0.0");
  cut_to_prefix(key.source, 11);
  EXPECT_EQ(key.source[0], 255);
  EXPECT_EQ(key.source[1], 0xe0);
  EXPECT_EQ(key.source[2], 0);
  cut_to_prefix(key.source, 0);
  EXPECT_EQ(key.source[0], 0);
}

}  // namespace
}  // namespace warpmeter
