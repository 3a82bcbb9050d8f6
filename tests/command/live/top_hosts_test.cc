// The hosts that sent most: exact where hosts are few, and found among any number of others.
#include "command/live/top_hosts.h"

#include <gtest/gtest.h>

namespace warpmeter {
namespace {

FlowKey from_host(std::uint32_t host, std::uint8_t version = 4) {
  FlowKey key{};
  key.version = version;
  for (int i = 0; i < 4; ++i) key.source[i] = static_cast<std::uint8_t>(host >> (24 - 8 * i));
  key.source_port[1] = static_cast<std::uint8_t>(host);
  return key;
}

std::uint32_t host_of(const TopHost& host) {
  std::uint32_t number = 0;
  for (int i = 0; i < 4; ++i) number = number << 8 | host.key.source[i];
  return number;
}

TEST(TopHosts, OfFewHostsAllIsKnown) {
  TopHosts hosts(1);
  for (std::uint32_t host = 1; host <= 500; ++host) {
    hosts.add(from_host(host), host);
    hosts.add(from_host(host), 1000 * host);
  }
  hosts.add(from_host(7, 6), 3'000'000);
  const std::vector<TopHost> top = hosts.take(3);
  ASSERT_EQ(top.size(), 3u);
  EXPECT_EQ(top[0].key.version, 6);
  EXPECT_EQ(top[0].bytes, 3'000'000u);
  EXPECT_EQ(host_of(top[1]), 500u);
  EXPECT_EQ(top[1].bytes, 500u * 1001);
  EXPECT_EQ(top[1].key.source_port[1], 0);
  EXPECT_EQ(host_of(top[2]), 499u);
  EXPECT_TRUE(hosts.take(3).empty());  // forgotten
}

// Each of many sends little; three send much, in small pieces, between them.
TEST(TopHosts, AreFoundAmongAnyNumber) {
  TopHosts hosts(2);
  constexpr std::uint64_t kPiece = 100;
  for (std::uint32_t i = 0; i < 1'000'000; ++i) {
    hosts.add(from_host(0x0b000000 + i), 40);
    if (i % 4 == 0) hosts.add(from_host(1 + i % 3), kPiece);
  }
  const std::vector<TopHost> top = hosts.take(3);
  ASSERT_EQ(top.size(), 3u);
  for (const TopHost& host : top) {
    EXPECT_LE(host_of(host), 3u);
    EXPECT_LE(host.bytes, 250'000 / 3 * kPiece + kPiece);  // no more than it sent
    EXPECT_GE(host.bytes, 250'000 / 3 * kPiece * 99 / 100);
  }
}

TEST(TopHosts, SumsOfSeveralTables) {
  const std::vector<TopHost> top =
      most_of({{from_host(1), 10}, {from_host(2), 30}, {from_host(3), 5}, {from_host(1), 25}}, 2);
  ASSERT_EQ(top.size(), 2u);
  EXPECT_EQ(host_of(top[0]), 1u);
  EXPECT_EQ(top[0].bytes, 35u);
  EXPECT_EQ(top[1].bytes, 30u);
  EXPECT_TRUE(most_of({}, 3).empty());
}

}  // namespace
}  // namespace warpmeter
