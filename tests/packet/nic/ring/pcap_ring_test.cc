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

  // Takes what comes until there is nothing for as long as the ring may take; blocks are kept.
  std::vector<RingBlock> take_all() {
    std::vector<RingBlock> blocks;
    const auto is_over = [this] { return std::chrono::steady_clock::now() + 2 * ring().delay(); };
    for (auto over = is_over(); std::chrono::steady_clock::now() < over;) {
      if (auto block = ring().next()) {
        blocks.push_back(*std::move(block));
        over = is_over();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return blocks;
  }

  std::vector<std::uint32_t> numbers_of(std::vector<RingBlock> blocks) {
    std::vector<std::uint32_t> numbers;
    FrameBlock frames;
    for (RingBlock& block : blocks) {
      while (block.frames) ring().frames_of(block, 7, frames);
    }
    for (const Frame& frame : frames.frames) {
      EXPECT_EQ(frame.link, kLinkEthernet);
      if (const auto number = numbered_datagram(frame)) numbers.push_back(*number);
    }
    return numbers;
  }

  std::unique_ptr<ObservationPoint> point_;
};

TEST_F(PcapRingTest, GivesEachOnceAndInOrder) {
  EXPECT_EQ(point_->way().rfind("libpcap, 1 ring of ", 0), 0u) << point_->way();
  const std::int64_t before = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  send_numbered_datagrams(0, 50, 1000);
  const std::vector<RingBlock> blocks = take_all();
  ASSERT_FALSE(blocks.empty());
  EXPECT_NEAR(static_cast<double>(blocks[0].last_ns), static_cast<double>(before), 60e9);
  const std::vector<std::uint32_t> got = numbers_of(blocks);
  ASSERT_EQ(got.size(), 50u);
  for (std::uint32_t i = 0; i < got.size(); ++i) EXPECT_EQ(got[i], i);
}

TEST_F(PcapRingTest, WhatFindsNoRoomIsCounted) {
  constexpr std::uint32_t kSent = 2000;
  send_numbered_datagrams(0, kSent, 1000);
  const std::size_t got = numbers_of(take_all()).size();
  ring().update_counts();
  EXPECT_GT(ring().counts().ring_full, 0u);
  EXPECT_FALSE(ring().counts().times_full);  // libpcap does not tell
  EXPECT_GE(ring().counts().received, got);
  EXPECT_GE(ring().counts().offered(), kSent);  // with the answers that nobody listens
  EXPECT_LE(got + ring().counts().ring_full, ring().counts().offered());
}

TEST_F(PcapRingTest, WhatIsLeasedStaysAndIsWaitedFor) {
  std::vector<RingBlock> held;
  std::uint32_t sent = 0;
  while (!ring().waits_for_lease() && sent < 100) {
    send_numbered_datagrams(sent++, 1, 100);
    for (auto& block : take_all()) held.push_back(std::move(block));
    ring().next();
  }
  EXPECT_TRUE(ring().waits_for_lease());
  EXPECT_EQ(numbers_of(held).front(), 0u);
  held.clear();
  send_numbered_datagrams(1000, 1, 100);
  EXPECT_EQ(numbers_of(take_all()).back(), 1000u);
  EXPECT_FALSE(ring().waits_for_lease());
}

TEST_F(PcapRingTest, WhatCameBeforeItWasShutIsGivenAndNothingElse) {
  send_numbered_datagrams(0, 10, 100);
  ring().shut();
  send_numbered_datagrams(10, 10, 100);
  const std::vector<RingBlock> blocks = take_all();
  point_->counts();
  EXPECT_EQ(numbers_of(blocks).size(), 10u);
  ring().update_counts();
  EXPECT_EQ(ring().counts().ring_full, 0u);
}

}  // namespace
}  // namespace warpmeter::test
