// A prefix compares as its key does, and of IPv4 is the whole key; of IPv6 all of them together are.
#include "flow/runs/prefix_sort.h"

#include <gtest/gtest.h>

#include <random>

namespace warpmeter {
namespace {

// Few values, so that keys share beginnings of all lengths.
FlowKey random_key(std::mt19937_64& random) {
  const auto any = [&random](std::uint8_t(&bytes)[16], std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) bytes[i] = random() % 4 ? 7 : static_cast<std::uint8_t>(random());
  };
  const auto port = [&random](std::uint8_t(&bytes)[2]) {
    for (std::uint8_t& byte : bytes) byte = random() % 2 ? 1 : static_cast<std::uint8_t>(random());
  };
  FlowKey key;
  key.version = random() % 2 ? 4 : 6;
  any(key.source, key.version == 4 ? 4 : 16);
  any(key.destination, key.version == 4 ? 4 : 16);
  port(key.source_port);
  port(key.destination_port);
  key.protocol = random() % 2 ? 6 : 17;
  if (random() % 2) port(key.vlan);
  return key;
}

TEST(KeyPrefix, ComparesAsTheKey) {
  std::mt19937_64 random(1);
  int equal = 0;
  for (int i = 0; i < 200'000; ++i) {
    FlowKey a = random_key(random), b = random() % 2 ? a : random_key(random);
    if (random() % 2) b.vlan[1] ^= static_cast<std::uint8_t>(random() % 2);
    const int order = compare(a, b);
    const KeyPrefix first = prefix_of(a), second = prefix_of(b);
    if (first == second) {
      ++equal;
      ASSERT_TRUE(order == 0 || a.version == 6);
    } else {
      ASSERT_EQ(first < second, order < 0);
      ASSERT_EQ(second<first, order> 0);
    }
  }
  EXPECT_GT(equal, 1000);
}

TEST(KeyPrefix, AllOfAnIpv6KeyAreTheKey) {
  std::mt19937_64 random(2);
  int at_depth[3] = {}, equal = 0;
  for (int i = 0; i < 200'000; ++i) {
    FlowKey a = random_key(random);
    a.version = 6;
    FlowKey b = a;
    std::uint8_t* const bytes = b.source + random() % (sizeof b - 1);
    if (random() % 8) *bytes ^= static_cast<std::uint8_t>(1 << random() % 8);
    KeyPrefix first = prefix_of(a), second = prefix_of(b);
    int depth = 0;
    while (first == second && ++depth < prefixes_in(a)) {
      first = further_prefix(a, depth);
      second = further_prefix(b, depth);
    }
    const int order = compare(a, b);
    if (order == 0) ++equal;
    else ++at_depth[depth];
    ASSERT_EQ(first == second, order == 0);
    ASSERT_EQ(first < second, order < 0);
  }
  EXPECT_GT(equal, 1000);
  for (const int found : at_depth) EXPECT_GT(found, 1000);
}

}  // namespace
}  // namespace warpmeter
