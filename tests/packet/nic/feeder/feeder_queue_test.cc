// What a feeder puts into its ring comes out of it, over any number of laps; what finds no room is counted once.
#include "packet/nic/feeder/feeder_queue.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <thread>

#include "packet/nic/feeder/fed_ring.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::FedRing;

TEST(FeederQueue, FramesComeAsTheyWerePut) {
  FedRing ring;
  const Bytes bytes = test::counting_bytes(61);
  ASSERT_EQ(wmf_put(&ring.writer(), bytes.data(), 61, 1500, 101, -5), 1);
  ASSERT_EQ(wmf_put(&ring.writer(), bytes.data(), 0, 0, 1, 1'700'000'000'000'000'001), 1);
  FeederQueue queue(ring.memory(), 0, 1);
  CopiedFrames frames;
  queue.take(frames);
  EXPECT_TRUE(frames.is_empty()) << "before the flush";
  ring.flush();
  queue.take(frames);
  ASSERT_EQ(frames.size(), 2u);
  const Frame& first = frames.frames()[0];
  EXPECT_EQ(test::bytes_of(first), bytes);
  EXPECT_EQ(first.time_ns, -5);
  EXPECT_EQ(first.original, 1500u);
  EXPECT_EQ(first.link, 101);
  EXPECT_EQ(frames.frames()[1].captured, 0u);
  EXPECT_EQ(frames.frames()[1].time_ns, 1'700'000'000'000'000'001);
  EXPECT_EQ(queue.damage(), "");
  EXPECT_EQ(ring.header().taken, 2u);
  EXPECT_EQ(ring.header().read, ring.header().write);
}

TEST(FeederQueue, WhatIsTakenDoesNotChangeWithTheRing) {
  FedRing ring;
  ring.put(Bytes(20, 1));
  ring.flush();
  FeederQueue queue(ring.memory(), 0, 1);
  CopiedFrames frames;
  queue.take(frames);
  std::memset(ring.writer().data, 7, 100);
  EXPECT_EQ(test::bytes_of(frames.frames().at(0)), Bytes(20, 1));
}

TEST(FeederQueue, ManyLaps) {
  FedRing ring;
  FeederQueue queue(ring.memory(), 0, 1);
  std::mt19937 random(7);
  std::deque<Bytes> in_ring;
  std::uint64_t put = 0, dropped = 0;
  for (int round = 0; round < 400; ++round) {
    for (auto i = random() % 200; i > 0; --i) {
      Bytes frame(random() % 10 ? random() % 90 : random() % 2500, static_cast<std::uint8_t>(random()));
      const bool has_room = wmf_has_room(&ring.writer(), static_cast<std::uint32_t>(frame.size()));
      ASSERT_EQ(ring.put(frame), has_room);
      frame.resize(std::min<std::size_t>(frame.size(), 2000));
      if (has_room) in_ring.push_back(frame);
      ++(has_room ? put : dropped);
    }
    ring.flush();
    if (random() % 3 == 0) continue;
    const std::vector<Bytes> taken = test::take_all(queue);
    ASSERT_EQ(taken, std::vector<Bytes>(in_ring.begin(), in_ring.end()));
    in_ring.clear();
  }
  ASSERT_EQ(queue.damage(), "");
  EXPECT_GT(ring.header().write, 20 * ring.header().data_bytes);
  EXPECT_GT(dropped, 0u);
  EXPECT_EQ(ring.header().offered, put + dropped);
  EXPECT_EQ(ring.header().offered, ring.header().taken + queue.count().dropped + in_ring.size());
}

// A lap may end with 0, 8 or 16 bytes, in which no record's header fits, or with exactly a header.
TEST(FeederQueue, EveryEndOfALap) {
  for (std::uint64_t left = 0; left <= 64; left += 8) {
    FedRing ring;
    FeederQueue queue(ring.memory(), 0, 1);
    for (std::uint64_t at = 0; at < 65536 - left;) {
      const std::uint64_t size = std::min<std::uint64_t>(65536 - left - at, 1024 + (at % 3) * 8);
      const std::uint64_t rest = 65536 - left - at - size;
      const std::uint64_t fitting = rest > 0 && rest < 24 ? size - 24 : size;
      ASSERT_TRUE(ring.put(Bytes(fitting - 24, 3)));
      at += fitting;
      ring.flush();
      test::take_all(queue);
    }
    ASSERT_EQ(ring.header().write, 65536 - left);
    ring.put(Bytes(50, 5));
    ring.flush();
    EXPECT_EQ(test::take_all(queue), std::vector<Bytes>{Bytes(50, 5)}) << left;
    EXPECT_EQ(queue.damage(), "");
    EXPECT_EQ(ring.header().write, 65536u + 80);
  }
}

TEST(FeederQueue, ALaterMeterGoesOn) {
  FedRing ring;
  {
    FeederQueue first(ring.memory(), 0, 1);
    while (ring.put(Bytes(1000))) continue;
    ring.flush();
    CopiedFrames frames;
    first.take(frames);
    EXPECT_EQ(frames.size(), 64u);
    EXPECT_EQ(first.count().dropped, 1u);
    EXPECT_EQ(first.count().times_full, 1u);
    EXPECT_EQ(first.count().missed, 0u);
  }
  while (ring.put(Bytes(1000))) continue;
  ring.put(Bytes(1000));
  ring.header().missed = 9;
  ring.flush();
  FeederQueue second(ring.memory(), 0, 1);
  EXPECT_EQ(second.count().dropped, 2u);
  EXPECT_EQ(second.count().times_full, 1u);
  EXPECT_EQ(second.count().missed, 9u);
  EXPECT_EQ(test::take_all(second).size() + ring.header().dropped + 64, ring.header().offered);
}

TEST(FeederQueue, NothingIsTakenOfWhatComesLater) {
  FedRing ring;
  FeederQueue queue(ring.memory(), 0, 1);
  ring.put(Bytes(10));
  ring.flush();
  queue.shut();
  ring.put(Bytes(11));
  ring.flush();
  EXPECT_EQ(test::take_all(queue), std::vector<Bytes>{Bytes(10)});
  FeederQueue next(ring.memory(), 0, 1);
  EXPECT_EQ(test::take_all(next), std::vector<Bytes>{Bytes(11)});
}

TEST(FeederQueue, TimePassesAsTheFeederTells) {
  FedRing ring;
  FeederQueue queue(ring.memory(), 0, 1);
  ring.flush();
  test::take_all(queue);
  EXPECT_EQ(queue.watermark_ns(), FrameBlock::kNothingPassed);
  ring.flush(77);
  test::take_all(queue);
  EXPECT_EQ(queue.watermark_ns(), 77);
  EXPECT_FALSE(queue.has_ended());
  EXPECT_GT(queue.heartbeat_ns(), 0u);
  wmf_end(&ring.writer(), 78);
  EXPECT_TRUE(queue.has_ended());
}

TEST(FeederQueue, BesideItsFeeder) {
  FedRing ring;
  FeederQueue queue(ring.memory(), 0, 1);
  constexpr std::uint64_t kFrames = 30'000;
  std::thread feeder([&] {
    for (std::uint64_t i = 0; i < kFrames; ++i) {
      Bytes frame(8 + i % 100);
      std::memcpy(frame.data(), &i, sizeof i);
      ring.put(frame);
      if (i % 32 == 0) ring.flush();
    }
    wmf_end(&ring.writer(), 0);
  });
  std::uint64_t taken = 0, last = 0;
  for (bool ended = false; !ended;) {
    ended = queue.has_ended();
    for (const Bytes& frame : test::take_all(queue)) {
      std::uint64_t number;
      std::memcpy(&number, frame.data(), sizeof number);
      ASSERT_TRUE(taken == 0 || number > last);
      ASSERT_EQ(frame.size(), 8 + number % 100);
      last = number;
      ++taken;
    }
  }
  feeder.join();
  EXPECT_EQ(queue.damage(), "");
  EXPECT_EQ(taken + queue.count().dropped, kFrames);
}

}  // namespace
}  // namespace warpmeter
