// Numbers as people read them: three digits that count, and units that are true.
#include "base/words/human_units.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

TEST(HumanUnits, Bytes) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1000), "1000 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1 KiB");
  EXPECT_EQ(human_bytes(1536), "1.50 KiB");
  EXPECT_EQ(human_bytes(1.9 * 1024 * 1024 * 1024), "1.90 GiB");
  EXPECT_EQ(human_bytes(1023.9 * 1024), "1 MiB");
  EXPECT_EQ(human_bytes(0x1p64), "16 EiB");
}

TEST(HumanUnits, BytesBesideARateAreDividedBy1000) {
  EXPECT_EQ(human_decimal_bytes(0), "0 B");
  EXPECT_EQ(human_decimal_bytes(999), "999 B");
  EXPECT_EQ(human_decimal_bytes(1000), "1 kB");
  EXPECT_EQ(human_decimal_bytes(80'240'000), "80.2 MB");
}

TEST(HumanUnits, Counts) {
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(999), "999");
  EXPECT_EQ(human_count(1000), "1 k");
  EXPECT_EQ(human_count(12'340'000), "12.3 M");
  EXPECT_EQ(human_count(999'960'000), "1 G");
  EXPECT_EQ(human_count(123e12), "123 T");
}

TEST(HumanUnits, BitRates) {
  EXPECT_EQ(human_bit_rate(0), "0 bit/s");
  EXPECT_EQ(human_bit_rate(1.5e6 / 8), "1.50 Mbit/s");
}

TEST(HumanUnits, Times) {
  EXPECT_EQ(human_time(0), "0 s");
  EXPECT_EQ(human_time(5e-9), "5 ns");
  EXPECT_EQ(human_time(1.5e-6), "1.50 us");
  EXPECT_EQ(human_time(999.6e-6), "1 ms");
  EXPECT_EQ(human_time(0.027), "27 ms");
  EXPECT_EQ(human_time(0.9996), "1 s");
  EXPECT_EQ(human_time(4.2), "4.20 s");
  EXPECT_EQ(human_time(59.4), "59.4 s");
  EXPECT_EQ(human_time(59.96), "1 min");
  EXPECT_EQ(human_time(185), "3 min 5 s");
  EXPECT_EQ(human_time(3599.6), "1 h");
  EXPECT_EQ(human_time(2 * 3600 + 7 * 60 + 59), "2 h 7 min");
  EXPECT_EQ(human_time(2 * 86400 + 7 * 3600), "2 d 7 h");
  EXPECT_EQ(human_span(-27'000'000), "-27 ms");
  EXPECT_EQ(human_span(256'000'000), "256 ms");
}

TEST(HumanUnits, OneIsSingular) {
  EXPECT_EQ(human_number_of(0, "flow"), "0 flows");
  EXPECT_EQ(human_number_of(1, "flow"), "1 flow");
  EXPECT_EQ(human_number_of(12345, "other file"), "12345 other files");
}

}  // namespace
}  // namespace warpmeter
