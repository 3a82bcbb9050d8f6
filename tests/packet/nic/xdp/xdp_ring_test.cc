// Rings of AF_XDP over a wire of the test's own: each frame is received, whole and in order, or counted.
#include "packet/nic/xdp/xdp_ring.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "packet/nic/xdp/capture_rights.h"
#include "packet/nic/xdp/wire.h"

namespace warpmeter::test {
namespace {

constexpr std::size_t kSmallRing = 64 * 2048;  // the smallest there is: 64 chunks

class XdpRingTest : public testing::Test {
 protected:
  void open(unsigned mtu, unsigned keep = 0) { open(mtu, keep, {.bytes = kSmallRing, .longest_frame = mtu + 22}); }
  void open(unsigned mtu, unsigned keep, const XdpRingPlace& place) {
    if (!make_wire(mtu)) GTEST_SKIP() << kWhoRunsWireTests << what_was_said();
    const NetworkInterface interface = find_interface("capture");
    try {
      program_ = std::make_shared<CaptureProgram>(keep);
      ring_.emplace(interface, place, program_);
      program_->attach(interface.index);
    } catch (const std::system_error& error) {
      GTEST_SKIP() << kWhoRunsWireTests << error.what();
    }
    sender_.emplace();
  }

  void send(std::uint32_t count, std::size_t bytes) {
    for (std::uint32_t i = 0; i < count; ++i) ASSERT_TRUE(sender_->send_one(sent_++, bytes));
  }

  // Waits until so many have been received or lost.
  void settle(std::uint64_t expected, std::vector<RingBlock>& blocks) {
    for (int i = 0; i < 5000; ++i) {
      while (auto block = ring_->next()) blocks.push_back(*std::move(block));
      ring_->update_counts();
      if (ring_->counts().offered() >= expected) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ADD_FAILURE() << ring_->counts().offered() << " of " << expected;
  }

  FrameBlock frames_in(std::vector<RingBlock>& blocks) {
    FrameBlock frames;
    for (RingBlock& block : blocks) {
      while (block.frames) ring_->frames_of(block, 7, frames);
    }
    return frames;
  }

  static std::uint32_t number_of(const Frame& frame) {
    std::uint32_t number = 0;
    std::memcpy(&number, frame.data + 14, sizeof number);
    return number;
  }

  std::shared_ptr<CaptureProgram> program_;
  std::optional<XdpRing> ring_;
  std::optional<WireSender> sender_;
  std::uint32_t sent_ = 0;
};

TEST_F(XdpRingTest, GivesAllInOrder) {
  if (open(1500); IsSkipped()) return;
  std::uint32_t expected = 0;
  for (int round = 0; round < 20; ++round) {  // several times around
    send(30, 60 + static_cast<std::size_t>(round) * 70);
    std::vector<RingBlock> blocks;
    settle(sent_, blocks);
    for (const Frame& frame : frames_in(blocks).frames) {
      const auto whole = numbered_frame(expected, 60 + static_cast<std::size_t>(round) * 70);
      EXPECT_EQ(std::vector(frame.data, frame.data + frame.captured), whole);
      EXPECT_EQ(frame.original, whole.size());
      EXPECT_EQ(frame.link, 1);
      ++expected;
    }
  }
  EXPECT_EQ(expected, sent_);
  EXPECT_EQ(ring_->counts().received, sent_);
  EXPECT_EQ(ring_->counts().lost(), 0u);
}

TEST_F(XdpRingTest, FramesHaveTheTimeOfTheirArrival) {
  if (open(1500); IsSkipped()) return;
  const auto now = [] { return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count(); };
  const std::int64_t before = now();
  send(20, 100);
  const std::int64_t after = now();
  std::vector<RingBlock> blocks;
  settle(sent_, blocks);
  const std::int64_t last_ns = blocks.back().last_ns;
  const FrameBlock frames = frames_in(blocks);
  std::int64_t latest = before - 1'000'000;
  for (const Frame& frame : frames.frames) {
    EXPECT_GE(frame.time_ns, latest);
    EXPECT_LE(frame.time_ns, after + 100'000'000);
    latest = frame.time_ns;
  }
  EXPECT_EQ(latest, last_ns);
}

TEST_F(XdpRingTest, WhatIsLeasedStaysAndWhatFindsNoRoomIsCounted) {
  if (open(1500); IsSkipped()) return;
  std::vector<RingBlock> held;
  send(40, 200);
  settle(sent_, held);
  send(60, 200);
  settle(sent_, held);
  EXPECT_TRUE(ring_->waits_for_lease());
  EXPECT_EQ(ring_->fill(), 1.0);
  EXPECT_EQ(ring_->counts().received, 64u);
  EXPECT_EQ(ring_->counts().ring_full, 36u);
  EXPECT_GT(ring_->counts().times_full, 0u);
  std::vector<RingBlock> copies = held;
  const FrameBlock frames = frames_in(copies);
  for (std::uint32_t i = 0; i < 64; ++i) EXPECT_EQ(number_of(frames.frames[i]), i);

  std::vector<std::thread> threads;  // leases may be let go anywhere
  copies.clear();
  for (RingBlock& block : held) threads.emplace_back([one = std::move(block)]() mutable { one.lease.reset(); });
  for (std::thread& thread : threads) thread.join();
  held.clear();
  EXPECT_FALSE(ring_->waits_for_lease());
  EXPECT_FALSE(ring_->next());  // takes them back
  EXPECT_EQ(ring_->fill(), 0.0);
  send(64, 200);
  settle(sent_, held);
  EXPECT_EQ(ring_->counts().received, 128u);
  EXPECT_EQ(ring_->counts().ring_full, 36u);
}

TEST_F(XdpRingTest, LongFramesArePutTogether) {
  if (open(9000); IsSkipped()) return;
  std::vector<std::size_t> sizes = {9014, 60, 5000, 3825, 9014, 3824, 3823, 1500, 8000};
  for (const std::size_t size : sizes) send(1, size);
  std::vector<RingBlock> blocks;
  settle(sent_, blocks);
  const FrameBlock frames = frames_in(blocks);
  ASSERT_EQ(frames.frames.size(), sizes.size());
  for (std::uint32_t i = 0; i < sizes.size(); ++i) {
    const Frame& frame = frames.frames[i];
    EXPECT_EQ(std::vector(frame.data, frame.data + frame.captured), numbered_frame(i, sizes[i])) << i;
    EXPECT_EQ(frame.original, sizes[i]);
  }
}

TEST_F(XdpRingTest, FramesAreCutIfWanted) {
  if (open(1500, 128); IsSkipped()) return;
  send(1, 1000);
  send(1, 128);
  send(1, 60);
  std::vector<RingBlock> blocks;
  settle(sent_, blocks);
  const FrameBlock frames = frames_in(blocks);
  ASSERT_EQ(frames.frames.size(), 3u);
  EXPECT_EQ(frames.frames[0].captured, 128u);
  EXPECT_EQ(frames.frames[0].original, 1000u);
  EXPECT_EQ(frames.frames[1].captured, 128u);
  EXPECT_EQ(frames.frames[1].original, 128u);
  EXPECT_EQ(frames.frames[2].captured, 60u);
  EXPECT_EQ(frames.frames[2].original, 60u);
}

TEST_F(XdpRingTest, WhereManyComeNobodyWaitsForOne) {
  if (open(1500); IsSkipped()) return;
  EXPECT_GE(ring_->fd(), 0);
  bool several = false;
  for (int i = 0; i < 1000 && !several; ++i) {
    send(20, 100);
    std::optional<RingBlock> block;
    for (int k = 0; k < 5000 && !block; ++k) {
      block = ring_->next();
      if (!block) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ASSERT_TRUE(block);
    several = block->frames > 1;
  }
  EXPECT_TRUE(several);
  EXPECT_EQ(ring_->fd(), -1);
  for (int i = 0; i < 5000 && ring_->fd() < 0; ++i) {  // it has become quiet
    ring_->next();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_GE(ring_->fd(), 0);
  std::vector<RingBlock> rest;
  settle(sent_, rest);
  EXPECT_EQ(ring_->counts().received, sent_);
}

TEST_F(XdpRingTest, NothingComesInOnceItIsShut) {
  if (open(1500); IsSkipped()) return;
  send(10, 100);
  std::vector<RingBlock> blocks;
  settle(sent_, blocks);
  std::thread([this] {  // whoever has got rid of its rights can do that, too
    drop_rights_of_thread(KeptRights::none);
    ring_->shut();
  })
      .join();
  send(10, 100);
  std::this_thread::sleep_for(ring_->delay());
  EXPECT_FALSE(ring_->next());
  ring_->update_counts();
  EXPECT_EQ(ring_->counts().offered(), 10u);
}

TEST_F(XdpRingTest, LeasesOutliveIt) {
  if (open(1500); IsSkipped()) return;
  send(10, 100);
  std::vector<RingBlock> blocks;
  settle(sent_, blocks);
  const FrameBlock frames = frames_in(blocks);
  ring_.reset();
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(number_of(frames.frames[i]), i);
}

bool is_readable_within(int fd, std::chrono::milliseconds longest) {
  pollfd wanted{.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&wanted, 1, static_cast<int>(longest.count())) == 1;
}

// Of 64 chunks a quarter.
TEST_F(XdpRingTest, AFewFramesWakeNobodyButManyDo) {
  constexpr std::chrono::minutes kLong{1};
  open(1500, 0, {.bytes = kSmallRing, .longest_frame = 1522, .most_pause = kLong, .wakes = true});
  if (IsSkipped()) return;
  EXPECT_FALSE(ring_->next());
  send(2, 100);
  EXPECT_TRUE(is_readable_within(ring_->fd(), kLong));  // nothing had come: by the first
  std::vector<RingBlock> blocks;
  settle(2, blocks);
  EXPECT_FALSE(ring_->next());
  EXPECT_EQ(ring_->pause(), kLong);
  send(5, 100);
  EXPECT_FALSE(ring_->next());
  EXPECT_FALSE(is_readable_within(ring_->fd(), std::chrono::milliseconds(20)));
  send(12, 100);
  EXPECT_TRUE(is_readable_within(ring_->fd(), kLong));
  settle(sent_, blocks);
  EXPECT_FALSE(ring_->next());
  EXPECT_FALSE(is_readable_within(ring_->fd(), std::chrono::milliseconds(0)));
  EXPECT_EQ(ring_->counts().lost(), 0u);
}

TEST_F(XdpRingTest, AQueueIsOneSockets) {
  if (open(1500); IsSkipped()) return;
  const NetworkInterface interface = find_interface("capture");
  try {
    XdpRing second(interface, {.bytes = kSmallRing, .longest_frame = 1522}, program_);
    ADD_FAILURE() << "two sockets of a queue";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), EBUSY);
  }
  ring_.reset();  // freed a little later
  ring_.emplace(interface, XdpRingPlace{.bytes = kSmallRing, .longest_frame = 1522}, program_);
  send(5, 100);
  std::vector<RingBlock> blocks;
  settle(5, blocks);
}

}  // namespace
}  // namespace warpmeter::test
