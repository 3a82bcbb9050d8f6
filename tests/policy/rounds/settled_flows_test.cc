#include "policy/rounds/settled_flows.h"

#include <gtest/gtest.h>

#include <deque>

namespace warpmeter {
namespace {

SettledFlow flow_with(std::uint64_t hash, std::uint16_t port) {
  SettledFlow flow;
  flow.key.version = 4;
  set_port_number(flow.key.source_port, port);
  flow.hash = hash;
  return flow;
}

TEST(SettledFlows, AreFoundByHashAndKey) {
  SettledFlows flows;
  SettledFlow one = flow_with(7, 80);
  flows.add(one);
  EXPECT_EQ(flows.find(7, one.key), &one);
  EXPECT_TRUE(flows.is_likely(7));
  EXPECT_EQ(flows.find(8, one.key), nullptr);
  EXPECT_EQ(flows.find(7, flow_with(7, 81).key), nullptr);
}

TEST(SettledFlows, OneHashMayHaveSeveral) {
  SettledFlows flows;
  SettledFlow one = flow_with(7, 80), other = flow_with(7, 81), behind = flow_with(8, 82);
  for (SettledFlow* const flow : {&one, &other, &behind}) flows.add(*flow);
  flows.remove(one);
  EXPECT_EQ(flows.find(7, one.key), nullptr);
  EXPECT_EQ(flows.find(7, other.key), &other);
  EXPECT_EQ(flows.find(8, behind.key), &behind);
}

// Hashes that are near to each other, as these are, lie behind each other; the index grows several times meanwhile.
TEST(SettledFlows, StayFoundWhileOthersComeAndGo) {
  SettledFlows flows;
  std::deque<SettledFlow> all;
  for (std::uint16_t i = 0; i < 3000; ++i) flows.add(all.emplace_back(flow_with(i * 5 / 7 + (i % 3) * 0x10000, i)));
  for (std::size_t i = 0; i < all.size(); i += 2) flows.remove(all[i]);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(flows.find(all[i].hash, all[i].key), i % 2 == 0 ? nullptr : &all[i]) << i;
  }
}

}  // namespace
}  // namespace warpmeter
