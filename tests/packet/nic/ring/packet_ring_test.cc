// Rings of the loopback interface, in a network namespace of the test's own.
#include "packet/nic/ring/packet_ring.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

#include "support/numbered_datagrams.h"

namespace warpmeter::test {
namespace {

constexpr int kEthernetIpUdp = 14 + 20 + 8;

class PacketRingTest : public testing::Test {
 protected:
  void SetUp() override {
    static const int error = enter_empty_namespace() ? 0 : errno;
    if (error) {
      GTEST_SKIP() << "the right to make a network namespace (root has it) runs this: " << std::strerror(error);
    }
    ring_.emplace(find_interface("lo"), 0, PacketRingOptions{.bytes = 256 << 10, .block_ms = 5}, std::nullopt);
  }

  // So many datagrams with so many bytes, of which the first four are a number.
  void send(std::uint32_t count, std::size_t bytes) {
    const int fd = socket(AF_INET, SOCK_DGRAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(9);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    std::vector<std::uint8_t> data(bytes);
    for (std::uint32_t i = 0; i < count; ++i, ++sent_) {
      std::memcpy(data.data(), &sent_, sizeof sent_);
      ASSERT_EQ(sendto(fd, data.data(), data.size(), 0, reinterpret_cast<const sockaddr*>(&to), sizeof to),
                static_cast<ssize_t>(bytes));
    }
    close(fd);
  }

  // Waits until all that came in is in complete blocks.
  static void settle() { std::this_thread::sleep_for(std::chrono::milliseconds(600)); }

  // The numbers of the datagrams in a block; nothing else goes over this interface but what says that nobody listens.
  std::vector<std::uint32_t> numbers_in(RingBlock block) {
    FrameBlock frames;
    while (block.frames) ring_->frames_of(block, 7, frames);
    std::vector<std::uint32_t> numbers;
    for (const Frame& frame : frames.frames) {
      if (frame.captured < kEthernetIpUdp + 4 || frame.data[14 + 9] != IPPROTO_UDP) continue;
      EXPECT_EQ(frame.captured, frame.original);
      std::uint32_t number;
      std::memcpy(&number, frame.data + kEthernetIpUdp, sizeof number);
      numbers.push_back(number);
    }
    return numbers;
  }

  std::optional<PacketRing> ring_;
  std::uint32_t sent_ = 0;
};

TEST_F(PacketRingTest, GivesAllInOrder) {
  std::vector<std::uint32_t> got, expected;
  for (int round = 0; round < 20; ++round) {  // more than fit at once
    send(50, 1000);
    for (int i = 0; i < 10'000 && got.size() < sent_; ++i) {
      while (const auto block = ring_->next()) {
        for (const std::uint32_t number : numbers_in(*block)) got.push_back(number);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  for (std::uint32_t i = 0; i < sent_; ++i) expected.push_back(i);
  EXPECT_EQ(got, expected);
  ring_->update_counts();
  EXPECT_EQ(ring_->counts().ring_full, 0u);
}

TEST_F(PacketRingTest, WhatIsLeasedStaysAndWhatFindsNoRoomIsCounted) {
  send(100, 1000);
  settle();
  std::vector<RingBlock> held;
  while (auto block = ring_->next()) held.push_back(*std::move(block));
  ASSERT_FALSE(held.empty());
  const auto before = numbers_in(held.front());
  send(2000, 1000);
  settle();
  while (auto block = ring_->next()) held.push_back(*std::move(block));
  EXPECT_TRUE(ring_->waits_for_lease());
  EXPECT_EQ(numbers_in(held.front()), before);
  std::set<std::uint32_t> got;
  for (const auto& block : held) {
    for (const std::uint32_t number : numbers_in(block)) EXPECT_TRUE(got.insert(number).second) << number;
  }
  ring_->update_counts();
  EXPECT_GT(ring_->counts().ring_full, 0u);
  EXPECT_GT(ring_->counts().times_full, 0u);
  EXPECT_GE(ring_->counts().offered(), sent_);  // with the answers that nobody listens
  EXPECT_LE(got.size() + ring_->counts().ring_full, ring_->counts().offered());

  held.clear();
  EXPECT_FALSE(ring_->waits_for_lease());
  const std::uint32_t first = sent_;
  send(10, 1000);
  settle();
  std::vector<std::uint32_t> after;
  while (const auto block = ring_->next()) {
    for (const std::uint32_t number : numbers_in(*block)) {
      if (number >= first) after.push_back(number);
    }
  }
  EXPECT_EQ(after.size(), 10u);
}

TEST_F(PacketRingTest, NothingComesInOnceItIsShut) {
  send(10, 100);
  ring_->shut();
  send(10, 100);
  settle();
  std::size_t got = 0;
  while (const auto block = ring_->next()) got += numbers_in(*block).size();
  EXPECT_EQ(got, 10u);
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
  settle();
  std::uint32_t frames = 0;
  while (const auto block = ring_->next()) {
    frames += block->frames;
    for (const std::uint32_t number : numbers_in(*block)) got.push_back(number);  // seven at a time
  }
  EXPECT_EQ(got, expected);
  EXPECT_EQ(ring_->counts().received, frames);
  EXPECT_EQ(ring_->counts().cut, kTimes);
}

TEST_F(PacketRingTest, LeasesOutliveIt) {
  send(10, 100);
  settle();
  std::optional<RingBlock> block = ring_->next();
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
  const std::int64_t after = now();
  settle();
  std::optional<RingBlock> block = ring_->next();
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
