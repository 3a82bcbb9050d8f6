// The order and the equality of Flow Keys (section 4 of the definitions).
#include "warpmeter/flow_key.h"

#include <gtest/gtest.h>

#include <functional>

#include "support/keys.h"

namespace warpmeter::test {
namespace {

Bytes ip6_address(std::uint8_t first) {
  Bytes address(16);
  address[0] = first;
  return address;
}

void expect_ordered(const KeyFields& lower, const KeyFields& higher) {
  EXPECT_LT(compare(key_of(lower), key_of(higher)), 0);
  EXPECT_GT(compare(key_of(higher), key_of(lower)), 0);
  EXPECT_FALSE(key_of(lower) == key_of(higher));
}

TEST(FlowKey, Ip4ComesBeforeIp6) {
  expect_ordered({.source = {255, 255, 255, 255}, .destination = {255, 255, 255, 255}},
                 {.source = ip6_address(0), .destination = ip6_address(0)});
}

TEST(FlowKey, AddressesAreComparedAsUnsignedNumbers) {
  expect_ordered({.source = {127, 255, 255, 255}}, {.source = {128, 0, 0, 0}});
  expect_ordered({.source = ip6_address(0x7f), .destination = ip6_address(0)},
                 {.source = ip6_address(0x80), .destination = ip6_address(0)});
}

TEST(FlowKey, PortsAreComparedAsUnsignedNumbers) {
  expect_ordered({.source_port = 255}, {.source_port = 256});
  expect_ordered({.destination_port = 32767}, {.destination_port = 32768});
}

// The lower key is the larger one in all fields that come later.
TEST(FlowKey, FieldsAreComparedInOrder) {
  const Bytes low = {1, 0, 0, 0}, high = {2, 0, 0, 0};
  expect_ordered({low, high, 9, 9, 9, 9}, {high, low, 1, 1, 1, 1});
  expect_ordered({low, low, 9, 9, 9, 9}, {low, high, 1, 1, 1, 1});
  expect_ordered({low, low, 1, 9, 9, 9}, {low, low, 9, 1, 1, 1});
  expect_ordered({low, low, 1, 1, 9, 9}, {low, low, 1, 9, 1, 1});
  expect_ordered({low, low, 1, 1, 1, 9}, {low, low, 1, 1, 9, 1});
  expect_ordered({low, low, 1, 1, 1, 1}, {low, low, 1, 1, 1, 9});
}

TEST(FlowKey, EqualKeysCompareEqual) {
  const KeyFields fields{.source = ip6_address(1), .destination = ip6_address(2), .vlan = 4095};
  EXPECT_TRUE(key_of(fields) == key_of(fields));
  EXPECT_EQ(compare(key_of(fields), key_of(fields)), 0);
}

TEST(FlowKey, EveryByteTellsKeysApart) {
  const FlowKey key = key_of({});
  for (std::size_t i = 0; i < sizeof key; ++i) {
    FlowKey other = key;
    reinterpret_cast<unsigned char*>(&other)[i] ^= 1;
    EXPECT_FALSE(key == other) << "byte " << i;
  }
}

TEST(FlowKey, PortNumberIsInHostOrder) {
  EXPECT_EQ(port_number(key_of({.source_port = 0x1f90}).source_port), 8080);
  EXPECT_EQ(port_number(key_of({.source_port = 65535}).source_port), 65535);
}

}  // namespace
}  // namespace warpmeter::test
