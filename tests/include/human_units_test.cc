// Numbers as people read them.
#include "pipeline/human_units.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

TEST(HumanUnits, Bytes) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1.0 KiB");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(1024.0 * 1024), "1.0 MiB");
  EXPECT_EQ(human_bytes(1.9 * 1024 * 1024 * 1024), "1.9 GiB");
  EXPECT_EQ(human_bytes(5000.0 * 1024 * 1024 * 1024 * 1024), "5000.0 TiB");
}

TEST(HumanUnits, Counts) {
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(999), "999");
  EXPECT_EQ(human_count(1000), "1.0 k");
  EXPECT_EQ(human_count(12'340'000), "12.3 M");
  EXPECT_EQ(human_count(2e9), "2.0 G");
  EXPECT_EQ(human_count(5e12), "5000.0 G");
}

TEST(HumanUnits, Times) {
  EXPECT_EQ(human_time(0), "0.00 s");
  EXPECT_EQ(human_time(4.2), "4.20 s");
  EXPECT_EQ(human_time(10), "10 s");
  EXPECT_EQ(human_time(59.4), "59 s");
  EXPECT_EQ(human_time(59.6), "1 min 0 s");
  EXPECT_EQ(human_time(185), "3 min 5 s");
  EXPECT_EQ(human_time(3599), "59 min 59 s");
  EXPECT_EQ(human_time(3600), "1 h 0 min");
  EXPECT_EQ(human_time(2 * 3600 + 7 * 60 + 59), "2 h 7 min");
}

}  // namespace
}  // namespace warpmeter
