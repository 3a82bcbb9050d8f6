// Moments as RFC 3339 text, from one end of 64 bits to the other.
#include "record/text/time_text.h"

#include <gtest/gtest.h>

#include <string>

namespace warpmeter {
namespace {

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

}  // namespace
}  // namespace warpmeter
