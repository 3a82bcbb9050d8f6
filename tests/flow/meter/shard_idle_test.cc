// Idle flows of a live capture leave by the time that has passed: in time, few at a time, whatever the clock does.
#include <gtest/gtest.h>

#include "flow/meter/shard_driver.h"

namespace warpmeter {
namespace {

using test::meter_options;
using test::ShardDriver;
using test::test_segment;

constexpr std::int64_t kSecond = 1'000'000'000;

MeterOptions without_active_timeout() {
  MeterOptions options = meter_options();
  options.timeouts.active_ns = 0;
  return options;
}

class IdleFlows : public testing::Test {
 protected:
  IdleFlows() { driver_.shard().find_idle_flows(1); }
  // All that are idle by then. Partials so far.
  std::size_t pass(std::int64_t time_ns, std::size_t looks = SIZE_MAX) {
    done_ = driver_.shard().expire_idle(time_ns, looks);
    return driver_.ended().size();
  }

  ShardDriver driver_{without_active_timeout()};
  bool done_ = true;
};

TEST_F(IdleFlows, LeaveOneNanosecondLater) {
  driver_.packet(1, test_segment(0).tcp(1, kSyn));
  driver_.packet(1, test_segment(10).tcp(2, kFin | kAck));
  driver_.packet(2, test_segment(500));
  EXPECT_EQ(pass(1010), 0u);
  ASSERT_EQ(pass(1011), 1u);
  EXPECT_EQ(driver_.ended()[0].packets, 2u);
  EXPECT_EQ(driver_.ended()[0].end_reason, EndReason::end_of_flow);
  EXPECT_EQ(driver_.ended()[0].removal, Removal::expired);
  driver_.packet(1, test_segment(1100));  // another flow
  ASSERT_EQ(pass(1501), 2u);
  EXPECT_EQ(driver_.ended()[1].end_reason, EndReason::idle);
  EXPECT_EQ(pass(1501), 2u);
  EXPECT_EQ(driver_.drain().size(), 3u);
  EXPECT_EQ(driver_.shard().counters().expired, 2u);
}

TEST_F(IdleFlows, AFewAtATime) {
  for (std::uint32_t i = 0; i < 1000; ++i) driver_.packet(i, test_segment(0));
  EXPECT_EQ(pass(5000, 100), 100u);
  EXPECT_FALSE(done_);
  EXPECT_EQ(pass(5000, 850), 950u);
  for (std::uint32_t i = 0; i < 1000; ++i)
    driver_.packet(i, test_segment(5001));  // those that are left, by packet time
  pass(5002);
  EXPECT_EQ(driver_.ended().size(), 1000u);
  EXPECT_EQ(driver_.shard().live(), 1000u);
}

TEST_F(IdleFlows, OthersAreFoundAmongThoseThatLeft) {
  std::int64_t now = 0;
  for (std::uint32_t round = 0; round < 60; ++round, now += 100) {
    for (std::uint32_t i = 0; i < 300; ++i) driver_.packet(round * 200 + i, test_segment(now));
    pass(now);
  }
  std::uint64_t packets = 0;
  for (const Partial& p : driver_.drain()) packets += p.packets;
  EXPECT_EQ(packets, 60u * 300u);
  // Each comes in one round or two neighbouring ones: one flow.
  EXPECT_EQ(driver_.ended().size(), 59u * 200u + 300u);
}

TEST_F(IdleFlows, AfterEvictionsToo) {
  MeterOptions options = meter_options(test::flow_memory_for(20'000));
  ShardDriver small(options);
  small.shard().find_idle_flows(1);
  for (std::uint32_t i = 0; i < 2000; ++i) small.packet(i, test_segment(i));
  EXPECT_GT(small.shard().counters().evicted, 0u);
  std::size_t looks = SIZE_MAX;
  small.shard().expire_idle(100'000, looks);
  EXPECT_EQ(small.shard().live(), 0u);
  EXPECT_EQ(small.ended().size(), 2000u);
}

TEST_F(IdleFlows, ClockSetBackNeitherCutsNorKeepsForLong) {
  const std::int64_t now = 100'000 * kSecond, back = 50'000 * kSecond;
  driver_.packet(1, test_segment(now));
  driver_.packet(2, test_segment(now));
  pass(now);
  driver_.packet(1, test_segment(back));
  driver_.packet(3, test_segment(back));
  // Flow 1 goes on, 2 does not; 3 began after the clock was set.
  std::int64_t time = back;
  for (; time < back + 20'000; time += 100) {
    driver_.packet(1, test_segment(time));
    pass(time);
  }
  ASSERT_EQ(driver_.ended().size(), 2u);
  EXPECT_EQ(driver_.shard().live(), 1u);
  for (const Partial& p : driver_.ended()) EXPECT_EQ(p.packets, 1u);
  // And now that one is silent.
  pass(time + 5000);
  pass(time + 10'000);
  EXPECT_EQ(driver_.shard().live(), 0u);
  EXPECT_EQ(driver_.ended().back().packets, 202u);
}

TEST_F(IdleFlows, ClockSetForwardEndsWhatPacketTimeWouldEnd) {
  driver_.packet(1, test_segment(0));
  EXPECT_EQ(pass(kSecond * 3600), 1u);
  driver_.packet(1, test_segment(kSecond * 3600));
  EXPECT_EQ(pass(kSecond * 3600 + 10), 1u);
  EXPECT_EQ(pass(kSecond * 3600 + 1002), 2u);
}

TEST(Shard, NoFlowLeavesWithoutAnIdleTimeout) {
  MeterOptions options = meter_options();
  options.timeouts.idle_ns = 0;
  ShardDriver driver(options);
  driver.shard().find_idle_flows(1);
  driver.packet(1, test_segment(0));
  std::size_t looks = SIZE_MAX;
  EXPECT_TRUE(driver.shard().expire_idle(std::int64_t{1} << 61, looks));
  EXPECT_TRUE(driver.ended().empty());
}

}  // namespace
}  // namespace warpmeter
