// Unaligned loads and stores, as they lie and from network byte order.
#include "core/byte_order.h"

#include <gtest/gtest.h>

namespace warpmeter::test {
namespace {

TEST(ByteOrder, LoadsFromAnyAddress) {
  const std::uint8_t bytes[] = {0xff, 1, 2, 3, 4};
  EXPECT_EQ(load_be16(bytes + 1), 0x0102);
  EXPECT_EQ(load_be32(bytes + 1), 0x01020304u);
  EXPECT_EQ(load<std::uint32_t>(bytes + 1), 0x04030201u);
}

TEST(ByteOrder, StoresToAnyAddress) {
  std::uint8_t bytes[15] = {};
  store_be16(bytes + 1, 0x0102);
  store_be32(bytes + 3, 0x03040506);
  store_be64(bytes + 7, 0x0708090a0b0c0d0e);
  for (int i = 0; i < 15; ++i) EXPECT_EQ(bytes[i], i);
}

TEST(ByteOrder, SwapsEveryWidth) {
  EXPECT_EQ(byte_swap(std::uint16_t{0x0102}), 0x0201);
  EXPECT_EQ(byte_swap(0x01020304u), 0x04030201u);
  EXPECT_EQ(byte_swap(std::uint64_t{0x0102030405060708}), 0x0807060504030201u);
}

}  // namespace
}  // namespace warpmeter::test
