// Rings of libpcap over the loopback interface, in a network namespace of the test's own.
#include "packet/nic/ring/interface_point.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "support/numbered_datagrams.h"
#include "warpmeter/link_type.h"
#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

class PcapRingTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!enter_empty_namespace()) {
      GTEST_SKIP() << "the right to make a network namespace (root has it) runs this: " << std::strerror(errno);
    }
    try {
      point_ = open_pcap_point("lo", {.bytes = 512 << 10, .block_ms = 5});
    } catch (const Error& error) {
      ASSERT_NE(std::string(error.what()).find("not built in"), std::string::npos) << error.what();
      GTEST_SKIP() << "a build with libpcap (package libpcap-dev) runs this";
    }
  }

  Ring& ring() { return point_->ring(0); }

  // Adds those of what is there.
  void take(std::vector<std::uint32_t>& numbers) {
    while (auto block = ring().next()) {
      last_ns_ = block->last_ns;
      for (const std::uint32_t number : numbers_of(ring(), *block)) numbers.push_back(number);
    }
  }

  bool wait_for_datagrams(std::size_t count, std::vector<std::uint32_t>& numbers) {
    return wait_for([&] {
      take(numbers);
      return numbers.size() >= count;
    });
  }

  std::int64_t last_ns_ = 0;
  std::unique_ptr<ObservationPoint> point_;
};

TEST_F(PcapRingTest, GivesEachOnceAndInOrder) {
  EXPECT_EQ(point_->way().rfind("libpcap, 1 ring of ", 0), 0u) << point_->way();
  const std::int64_t before = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  send_numbered_datagrams(0, 50, 1000);
  std::vector<std::uint32_t> got;
  ASSERT_TRUE(wait_for_datagrams(50, got));
  EXPECT_NEAR(static_cast<double>(last_ns_), static_cast<double>(before), 60e9);
  ASSERT_EQ(got.size(), 50u);
  for (std::uint32_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], i);
}

TEST_F(PcapRingTest, WhatFindsNoRoomIsCounted) {
  constexpr std::uint32_t kSent = 2000;
  WitnessRing witness("lo");
  send_numbered_datagrams(0, kSent, 1000);
  ASSERT_TRUE(witness.has_seen_datagrams(kSent));
  std::vector<std::uint32_t> got;
  EXPECT_TRUE(wait_for([&] {
    take(got);
    ring().update_counts();
    return ring().counts().offered() >= kSent;  // with the answers that nobody listens
  }));
  EXPECT_GT(ring().counts().ring_full, 0u);
  EXPECT_FALSE(ring().counts().times_full);  // libpcap does not tell
  EXPECT_GE(ring().counts().received, got.size());
  EXPECT_LE(got.size() + ring().counts().ring_full, ring().counts().offered());
}

TEST_F(PcapRingTest, WhatIsLeasedStaysAndIsWaitedFor) {
  std::vector<RingBlock> held;
  std::uint32_t sent = 0;
  while (!ring().waits_for_lease() && sent < 100) {
    send_numbered_datagrams(sent++, 1, 100);
    const std::size_t before = held.size();
    ASSERT_TRUE(wait_for([&] {
      if (auto block = ring().next()) held.push_back(*std::move(block));
      return held.size() > before || ring().waits_for_lease();
    }));
    ring().next();
  }
  EXPECT_TRUE(ring().waits_for_lease());
  EXPECT_EQ(numbers_of(ring(), held.front()).front(), 0u);
  held.clear();
  send_numbered_datagrams(1000, 1, 100);
  std::vector<std::uint32_t> after;
  EXPECT_TRUE(wait_for([&] {
    take(after);
    return !after.empty() && after.back() == 1000;
  }));
  EXPECT_FALSE(ring().waits_for_lease());
}

TEST_F(PcapRingTest, WhatCameBeforeItWasShutIsGivenAndNothingElse) {
  WitnessRing witness("lo");
  send_numbered_datagrams(0, 10, 100);
  ASSERT_TRUE(witness.has_seen_datagrams(10));
  ring().shut();
  send_numbered_datagrams(10, 10, 100);
  ASSERT_TRUE(witness.has_seen_datagrams(20));
  std::vector<std::uint32_t> got;
  EXPECT_TRUE(wait_for_datagrams(10, got));
  std::this_thread::sleep_for(ring().delay());
  take(got);
  point_->counts();
  EXPECT_EQ(got.size(), 10u);
  ring().update_counts();
  EXPECT_EQ(ring().counts().ring_full, 0u);
}

}  // namespace
}  // namespace warpmeter::test
