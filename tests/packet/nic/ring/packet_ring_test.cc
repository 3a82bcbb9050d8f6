// Rings of the loopback interface, in a network namespace of the test's own.
#include "packet/nic/ring/packet_ring.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "support/numbered_datagrams.h"

namespace warpmeter::test {
namespace {

class PacketRingTest : public testing::Test {
 protected:
  void SetUp() override {
    static const int error = enter_empty_namespace() ? 0 : errno;
    if (error) {
      GTEST_SKIP() << "the right to make a network namespace (root has it) runs this: " << std::strerror(error);
    }
    ring_.emplace(find_interface("lo"), 0, PacketRingOptions{.bytes = 256 << 10, .block_ms = 5}, std::nullopt);
  }

  void send(std::uint32_t count, std::size_t bytes) {
    send_numbered_datagrams(sent_, count, bytes);
    sent_ += count;
  }

  // Those of the blocks that are there.
  void take(std::vector<std::uint32_t>& numbers) {
    while (auto block = ring_->next()) {
      for (const std::uint32_t number : numbers_of(*ring_, *block)) numbers.push_back(number);
    }
  }

  std::optional<RingBlock> next_block() {
    std::optional<RingBlock> block;
    wait_for([&] { return (block = ring_->next()).has_value(); });
    return block;
  }

  std::optional<PacketRing> ring_;
  std::uint32_t sent_ = 0;
};

TEST_F(PacketRingTest, GivesAllInOrder) {
  ring_.emplace(find_interface("lo"), 0, PacketRingOptions{.bytes = 1 << 20, .block_ms = 5}, std::nullopt);
  std::vector<std::uint32_t> got, expected;
  for (int round = 0; round < 30; ++round) {  // more than fit at once
    for (int i = 0; i < 50; ++i) {
      send(1, 1000);
      take(got);
    }
    ASSERT_TRUE(wait_for([&] {
      take(got);
      return got.size() >= sent_;
    }));
  }
  for (std::uint32_t i = 0; i < sent_; ++i) expected.push_back(i);
  EXPECT_EQ(got, expected);
  ring_->update_counts();
  EXPECT_EQ(ring_->counts().ring_full, 0u);
}

TEST_F(PacketRingTest, WhatIsLeasedStaysAndWhatFindsNoRoomIsCounted) {
  WitnessRing witness("lo");
  send(100, 1000);
  std::vector<RingBlock> held;
  std::optional<RingBlock> first_block = next_block();
  ASSERT_TRUE(first_block);
  RingBlock again = *first_block;
  const auto before = numbers_of(*ring_, again);
  held.push_back(*std::move(first_block));
  send(2000, 1000);
  ASSERT_TRUE(witness.has_seen_datagrams(sent_));
  ASSERT_TRUE(wait_for([&] {
    while (auto block = ring_->next()) held.push_back(*std::move(block));
    return ring_->waits_for_lease();
  }));
  again = held.front();
  EXPECT_EQ(numbers_of(*ring_, again), before);
  std::set<std::uint32_t> got;
  for (RingBlock block : held) {
    for (const std::uint32_t number : numbers_of(*ring_, block)) EXPECT_TRUE(got.insert(number).second) << number;
  }
  ring_->update_counts();
  EXPECT_GT(ring_->counts().ring_full, 0u);
  EXPECT_GT(ring_->counts().times_full, 0u);
  EXPECT_GE(ring_->counts().offered(), sent_);  // with the answers that nobody listens
  EXPECT_LE(got.size() + ring_->counts().ring_full, ring_->counts().offered());

  held.clear();
  again = {};
  EXPECT_FALSE(ring_->waits_for_lease());
  const std::uint32_t first = sent_;
  send(10, 1000);
  std::vector<std::uint32_t> after;
  EXPECT_TRUE(wait_for([&] {
    take(after);
    std::erase_if(after, [first](std::uint32_t number) { return number < first; });
    return after.size() >= 10;
  }));
  EXPECT_EQ(after.size(), 10u);
}

TEST_F(PacketRingTest, NothingComesInOnceItIsShut) {
  WitnessRing witness("lo");
  send(10, 100);
  ASSERT_TRUE(witness.has_seen_datagrams(10));
  ring_->shut();
  send(10, 100);
  ASSERT_TRUE(witness.has_seen_datagrams(20));
  std::vector<std::uint32_t> got;
  EXPECT_TRUE(wait_for([&] {
    take(got);
    return got.size() >= 10;
  }));
  std::this_thread::sleep_for(ring_->delay());
  take(got);
  EXPECT_EQ(got.size(), 10u);
  ring_->update_counts();
  EXPECT_EQ(ring_->counts().ring_full, 0u);
}

// As a host leaves them to a card, which this interface is not.
TEST_F(PacketRingTest, FramesOfSeveralDatagramsAreCut) {
  if (!ring_->cuts()) GTEST_SKIP() << "Linux 6.2, on a host without SCTP, runs this";
  constexpr int kUdpSegment = 103, kSize = 100;  // UDP_SEGMENT
  constexpr std::uint32_t kCount = 30, kTimes = 3;
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  ASSERT_EQ(setsockopt(fd, IPPROTO_UDP, kUdpSegment, &kSize, sizeof kSize), 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(9);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::vector<std::uint32_t> got, expected;
  for (std::uint32_t time = 0; time < kTimes; ++time) {
    std::vector<std::uint8_t> data(kCount * kSize - 50);  // the last one is shorter
    for (std::uint32_t i = 0; i < kCount; ++i, ++sent_) {
      std::memcpy(data.data() + i * kSize, &sent_, sizeof sent_);
      expected.push_back(sent_);
    }
    ASSERT_EQ(sendto(fd, data.data(), data.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to),
              static_cast<ssize_t>(data.size()));
  }
  close(fd);
  std::uint32_t frames = 0;
  EXPECT_TRUE(wait_for([&] {
    while (auto block = ring_->next()) {
      frames += block->frames;
      for (const std::uint32_t number : numbers_of(*ring_, *block)) got.push_back(number);  // seven at a time
    }
    return got.size() >= expected.size();
  }));
  EXPECT_EQ(got, expected);
  EXPECT_EQ(ring_->counts().received, frames);
  EXPECT_EQ(ring_->counts().cut, kTimes);
}

TEST_F(PacketRingTest, LeasesOutliveIt) {
  send(10, 100);
  std::optional<RingBlock> block = next_block();
  ASSERT_TRUE(block);
  FrameBlock frames;
  ring_->frames_of(*block, 1000, frames);
  ring_.reset();
  std::uint32_t sum = 0;
  for (const Frame& frame : frames.frames) {
    for (std::uint32_t i = 0; i < frame.captured; ++i) sum += frame.data[i];
  }
  EXPECT_GT(sum, 0u);
}

TEST_F(PacketRingTest, FramesHaveTheTimeOfTheirArrival) {
  const auto now = [] { return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count(); };
  const std::int64_t before = now();
  send(3, 100);
  std::optional<RingBlock> block = next_block();
  const std::int64_t after = now();
  ASSERT_TRUE(block);
  FrameBlock frames;
  ring_->frames_of(*block, 1000, frames);
  ASSERT_FALSE(frames.frames.empty());
  for (const Frame& frame : frames.frames) {
    EXPECT_GE(frame.time_ns, before - 100'000'000);
    EXPECT_LE(frame.time_ns, after + 100'000'000);
  }
}

}  // namespace
}  // namespace warpmeter::test
