// Numbers of any length, as the library writes them; moments as RFC 3339 text, from one end of 64 bits to the other;
// addresses as inet_ntop() writes them.
#include "record/text/value_text.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <cstring>
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

std::string utc(std::int64_t ns) {
  char text[kUtcText];
  return {text, write_utc(text, ns)};
}

TEST(TimeText, WritesUtcToTheNanosecond) {
  EXPECT_EQ(utc(0), "1970-01-01T00:00:00.000000000Z");
  EXPECT_EQ(utc(1'769'860'800'123'456'789), "2026-01-31T12:00:00.123456789Z");
  EXPECT_EQ(utc(951'782'399'999'999'999), "2000-02-28T23:59:59.999999999Z");
  EXPECT_EQ(utc(951'782'400'000'000'000), "2000-02-29T00:00:00.000000000Z");
}

TEST(TimeText, WritesTimesBefore1970AndTheLast) {
  EXPECT_EQ(utc(-1), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(utc(INT64_MIN), "1677-09-21T00:12:43.145224192Z");
  EXPECT_EQ(utc(INT64_MAX), "2262-04-11T23:47:16.854775807Z");
}

std::string text_of(const std::uint8_t (&address)[16], std::uint8_t version) {
  char text[kAddressText];
  return {text, write_address(text, address, version)};
}

std::string expected(const std::uint8_t (&address)[16], std::uint8_t version) {
  char text[INET6_ADDRSTRLEN];
  return inet_ntop(version == 4 ? AF_INET : AF_INET6, address, text, sizeof text);
}

TEST(AddressText, EveryByteOfIp4) {
  for (int byte = 0; byte < 256; ++byte) {
    const auto b = static_cast<std::uint8_t>(byte);
    const std::uint8_t address[16] = {b, static_cast<std::uint8_t>(255 - byte), 0, b};
    ASSERT_EQ(text_of(address, 4), expected(address, 4));
  }
}

// All places of zeros, with groups of one to four digits between them.
TEST(AddressText, EveryPatternOfZerosInIp6) {
  std::mt19937_64 random(1);
  for (int pattern = 0; pattern < 256; ++pattern) {
    for (int round = 0; round < 50; ++round) {
      std::uint8_t address[16] = {};
      for (int group = 0; group < 8; ++group) {
        if (pattern >> group & 1) continue;
        const auto value = static_cast<std::uint16_t>(round == 0 ? 0xffff : (random() & 0xffff) >> random() % 16);
        address[2 * group] = static_cast<std::uint8_t>(value >> 8);
        address[2 * group + 1] = static_cast<std::uint8_t>(value);
      }
      ASSERT_EQ(text_of(address, 6), expected(address, 6));
    }
  }
}

}  // namespace
}  // namespace warpmeter
