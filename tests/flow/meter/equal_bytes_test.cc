// What the vector instructions of this CPU find is what plain C++ finds.
#include "flow/meter/equal_bytes.h"

#include <gtest/gtest.h>

#include <random>

namespace warpmeter {
namespace {

struct alignas(16) Sixteen {
  std::uint8_t bytes[16] = {};
};

TEST(EqualBytes, EachPlaceHasItsBit) {
  for (unsigned i = 0; i < 16; ++i) {
    Sixteen all;
    all.bytes[i] = 0x80;
    EXPECT_EQ(equal_bytes(all.bytes, 0x80), 1u << i);
    EXPECT_EQ(equal_bytes(all.bytes, 0), 0xffffu & ~(1u << i));
  }
}

TEST(EqualBytes, AllOrNone) {
  for (unsigned value = 0; value < 256; ++value) {
    Sixteen all;
    for (std::uint8_t& byte : all.bytes) byte = static_cast<std::uint8_t>(value);
    ASSERT_EQ(equal_bytes(all.bytes, static_cast<std::uint8_t>(value)), 0xffffu) << value;
    ASSERT_EQ(equal_bytes(all.bytes, static_cast<std::uint8_t>(value ^ 1)), 0u) << value;
  }
}

TEST(EqualBytes, AsOneByOne) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20'000; ++round) {
    Sixteen some;
    for (std::uint8_t& byte : some.bytes) byte = static_cast<std::uint8_t>(random() % 5 + 0x7e);
    const auto wanted = static_cast<std::uint8_t>(random() % 5 + 0x7e);
    ASSERT_EQ(equal_bytes(some.bytes, wanted), equal_bytes_one_by_one(some.bytes, wanted));
  }
}

}  // namespace
}  // namespace warpmeter
