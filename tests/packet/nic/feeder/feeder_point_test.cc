// A feeder that comes, ends, dies, does wrong or meets another one; and its meter.
#include "packet/nic/feeder/feeder_point.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "packet/nic/feeder/fed_ring.h"
#include "support/feeder_talk.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::FedRing;

class FeederPointTest : public testing::Test {
 protected:
  FeederPointTest() {
    static std::atomic<int> number = 0;
    feeder_ = "test-" + std::to_string(getpid()) + "-" + std::to_string(number++);
  }
  ~FeederPointTest() override { leave(); }

  FeederPoint& point() {
    if (!point_) point_ = std::make_unique<FeederPoint>(feeder_, rings_);
    return *point_;
  }
  void come(FedRing& ring) { connection_ = wmf_connect(feeder_.c_str(), &ring.writer(), 1, 0); }
  // Another one, which has yet to speak.
  int connect_only() const {
    const int fd = test::connect_to_meter(feeder_);
    EXPECT_GE(fd, 0);
    return fd;
  }
  // Says that it has so many rings, and hands over so many descriptors.
  static void hello(int fd, std::uint32_t rings, std::size_t descriptors) {
    const wmf_hello said = {WMF_HELLO_MAGIC, WMF_VERSION, rings};
    EXPECT_TRUE(test::say_to_meter(fd, &said, sizeof said, std::vector<int>(descriptors, STDERR_FILENO)));
  }
  void leave() {
    if (connection_ >= 0) close(connection_);
    connection_ = -1;
  }
  void look() {
    point().look([this](const std::string& line) { told_.push_back(line); });
  }
  // All that a ring gives.
  std::vector<Bytes> take(std::size_t number = 0) {
    std::vector<Bytes> taken;
    Ring& ring = point().ring(number);
    while (auto block = ring.next()) {
      FrameBlock frames;
      while (block->frames > 0) ring.frames_of(*block, 2, frames);
      for (const Frame& frame : frames.frames) taken.push_back(test::bytes_of(frame));
    }
    return taken;
  }
  std::string named(const std::string& text) const { return "shm:" + feeder_ + text; }
  // A feeder that says it has so many rings, and hands so many descriptors over.
  void expect_refused(std::uint32_t rings, std::size_t descriptors, const std::string& reason) {
    look();
    const int fd = connect_only();
    hello(fd, rings, descriptors);
    look();
    EXPECT_EQ(told_.back(), named(": a feeder was refused: " + reason));
    close(fd);
  }

  std::string feeder_;
  unsigned rings_ = 1;
  int connection_ = -1;
  std::unique_ptr<FeederPoint> point_;
  std::vector<std::string> told_;
};

TEST_F(FeederPointTest, ComesLaterAndEnds) {
  FedRing ring;
  EXPECT_EQ(wmf_connect(feeder_.c_str(), &ring.writer(), 1, 0), -1);
  EXPECT_EQ(errno, ECONNREFUSED);
  EXPECT_EQ(point().name(), named(""));
  EXPECT_EQ(point().way(), "shared memory, of a feeder that has not come yet");
  look();
  EXPECT_TRUE(take().empty());
  ring.put(Bytes(9));
  ring.flush();
  come(ring);
  ASSERT_GE(connection_, 0);
  EXPECT_FALSE(point().ring(0).fill());
  EXPECT_TRUE(take().empty());  // but it has come
  EXPECT_EQ(take(), std::vector<Bytes>{Bytes(9)});
  look();
  EXPECT_EQ(told_,
            (std::vector<std::string>{named(" waits for its feeder"), named(": its feeder has come, rings: 1")}));
  EXPECT_EQ(point().ring(0).fill(), 0.0);
  EXPECT_EQ(point().way(), "shared memory, a ring of a feeder");
  char text[WMF_MOST_TEXT + 1];
  EXPECT_EQ(wmf_look(connection_, text), 1);
  ring.put(Bytes(10));
  wmf_end(&ring.writer(), 0);
  EXPECT_DOUBLE_EQ(point().ring(0).fill().value(), 40.0 / 65536);
  leave();
  look();
  EXPECT_TRUE(point().is_gone());
  EXPECT_TRUE(point().ended_well());
  EXPECT_EQ(take(), std::vector<Bytes>{Bytes(10)});
  point().ring(0).update_counts();
  EXPECT_EQ(point().ring(0).counts().received, 2u);
  EXPECT_EQ(point().ring(0).counts().point, named(""));
}

TEST_F(FeederPointTest, DiesBeforeAnybodyLooked) {
  FedRing ring;
  point();
  ring.put(Bytes(9));
  ring.header().missed = 3;
  ring.flush();
  come(ring);
  leave();
  look();
  look();
  EXPECT_TRUE(point().is_gone());
  EXPECT_FALSE(point().ended_well());
  EXPECT_EQ(point().why_gone(), "the feeder is gone, and did not say that it ended");
  point().ring(0).shut();
  EXPECT_EQ(take(), std::vector<Bytes>{Bytes(9)});
  EXPECT_EQ(point().counts().lost, 3u);
}

TEST_F(FeederPointTest, IsDamaged) {
  FedRing ring;
  point();
  come(ring);
  look();
  ring.put(Bytes(9));
  ring.put(Bytes(9), INT64_MIN);
  ring.flush();
  EXPECT_EQ(take().size(), 1u);
  EXPECT_TRUE(point().is_gone());
  EXPECT_EQ(point().why_gone(), "its ring 0 is damaged: the time -9223372036854775808 ns at byte 40");
  char text[WMF_MOST_TEXT + 1];
  EXPECT_EQ(wmf_look(connection_, text), -1);
  EXPECT_EQ(std::string(text), point().why_gone());
  EXPECT_TRUE(take().empty());
}

TEST_F(FeederPointTest, IsRefusedAndThenAnotherIsTaken) {
  look();
  FedRing bad, good;
  bad.header().version = 9;
  for (int i = 0; i < 2; ++i) {
    come(bad);
    look();
    char text[WMF_MOST_TEXT + 1];
    EXPECT_EQ(wmf_look(connection_, text), -1);
    EXPECT_EQ(std::string(text), "a ring of version 9, known is version 1");
    leave();
  }
  come(good);
  look();
  EXPECT_EQ(told_, (std::vector<std::string>{named(" waits for its feeder"),
                                             named(": a feeder was refused: a ring of version 9, known is version 1"),
                                             named(": its feeder has come, rings: 1")}));
}

TEST_F(FeederPointTest, WhatSaysSomethingElseIsRefused) {
  look();
  FedRing ring;
  for (const std::string& hello : {std::string("x"), std::string(16, '\0'), std::string(2000, 'x')}) {
    come(ring);  // for the address; its hello was said, so another connection says this
    leave();
    look();  // the one that has left is taken
    point_.reset();
    told_.clear();
    look();
    const int fd = connect_only();
    look();  // says nothing yet
    ASSERT_EQ(send(fd, hello.data(), hello.size(), 0), static_cast<ssize_t>(hello.size()));
    look();
    EXPECT_EQ(told_.back(), named(": a feeder was refused: it does not speak as feeders do"));
    close(fd);
  }
}

TEST_F(FeederPointTest, ThoseThatSayNothingHoldNobodyUp) {
  look();
  std::vector<int> silent;
  for (int i = 0; i < 5; ++i) silent.push_back(connect_only());
  FedRing ring;
  come(ring);
  ASSERT_GE(connection_, 0);
  look();
  EXPECT_EQ(told_.back(), named(": its feeder has come, rings: 1"));
  // They are turned away, each after its second.
  const auto all_refused = [&] {
    for (int& fd : silent) {
      char text[WMF_MOST_TEXT + 1];
      if (fd < 0 || wmf_look(fd, text) != -1) continue;
      EXPECT_STREQ(text, "it says nothing");
      close(std::exchange(fd, -1));
    }
    return std::ranges::all_of(silent, [](int fd) { return fd < 0; });
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!all_refused() && std::chrono::steady_clock::now() < deadline) {
    look();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(all_refused());
}

TEST_F(FeederPointTest, WhatIsHandedOverIsAsItIsSaid) {
  expect_refused(0, 0, "it has 0 rings, and not 1 to 64");
  expect_refused(65, 65, "it has 65 rings, and not 1 to 64");
  expect_refused(1, 0, "it says that it has 1 rings, and hands over 0 descriptors");
  expect_refused(2, 3, "it says that it has 2 rings, and hands over 3 descriptors");
}

TEST_F(FeederPointTest, MoreDescriptorsThanThereMayBeAreRefused) {
  expect_refused(64, 66, "it says that it has 64 rings, and hands over more than 64 descriptors");
}

TEST_F(FeederPointTest, CountsThatDoNotAddUp) {
  FedRing ring;
  look();
  come(ring);
  look();
  ring.put(Bytes(9));
  ring.header().dropped = 7;
  wmf_end(&ring.writer(), 0);
  look();
  EXPECT_EQ(take().size(), 1u);
  EXPECT_TRUE(point().is_gone());
  EXPECT_FALSE(point().ended_well());
  EXPECT_EQ(point().why_gone(), "its ring 0 is damaged: offered 1 frames, but taken 1 and dropped 7, at byte 40");
  point().ring(0).update_counts();
  EXPECT_EQ(point().ring(0).counts().ring_full, 0u);
}

TEST_F(FeederPointTest, OneMeterAndOneFeederAtATime) {
  look();
  EXPECT_EQ(test::thrown_text([&] { FeederPoint(feeder_, 1); }), named(": another process takes its packets already"));
  FedRing ring, another;
  come(ring);
  look();
  const int second = wmf_connect(feeder_.c_str(), &another.writer(), 1, 0);
  look();
  char text[WMF_MOST_TEXT + 1];
  EXPECT_EQ(wmf_look(second, text), -1);
  EXPECT_STREQ(text, "another feeder feeds this meter");
  close(second);
  // The meter goes; the next goes on with the same rings.
  ring.put(Bytes(9));
  ring.flush();
  point_.reset();
  EXPECT_EQ(wmf_look(connection_, text), 0);
  leave();
  look();
  come(ring);
  look();
  EXPECT_EQ(take().size(), 1u);
}

// Abstract names are anybody's who comes first: that it is somebody else is told.
TEST_F(FeederPointTest, ANameThatAnotherUserHasIsTold) {
  if (geteuid() != 0) GTEST_SKIP() << "root runs this, who can be somebody else";
  ASSERT_EQ(seteuid(12345), 0);
  point();
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_EQ(test::thrown_text([&] { FeederPoint(feeder_, 1); }),
            named(": user 12345 has this name, by process " + std::to_string(getpid()) +
                  ": it has to end, or another name is to be taken"));
  FedRing ring;
  come(ring);
  EXPECT_EQ(connection_, -1);  // nor does a feeder give it anything
  EXPECT_EQ(errno, EPERM);
}

TEST_F(FeederPointTest, NamesAreChecked) {
  for (const char* name :
       {"", "a/b", "a b", "\n", "01234567890123456789012345678901234567890123456789012345678901234"}) {
    EXPECT_NE(test::thrown_text([&] { FeederPoint(name, 1); }).find("a feeder's name has 1 to 64"), std::string::npos);
  }
}

TEST_F(FeederPointTest, GivesNoSignOfLife) {
  FedRing ring;
  look();
  come(ring);
  look();
  told_.clear();
  ring.flush();
  look();
  EXPECT_TRUE(told_.empty());
  ring.header().heartbeat_ns -= 5'100'000'000;
  look();
  look();
  EXPECT_EQ(told_, std::vector<std::string>{named(": its feeder gave no sign of life for 5 s")});
}

TEST_F(FeederPointTest, AnotherMeterMayHaveTheNameOnceTheFeederIsGone) {
  FedRing ring, next;
  look();
  come(ring);
  look();
  leave();
  look();
  EXPECT_TRUE(point().is_gone());
  EXPECT_EQ(wmf_connect(feeder_.c_str(), &next.writer(), 1, 0), -1);
  EXPECT_EQ(errno, ECONNREFUSED);
  EXPECT_EQ(test::thrown_text([&] { FeederPoint(feeder_, 1); }), "");
}

TEST_F(FeederPointTest, RingsAreSharedOut) {
  rings_ = 2;
  look();
  FedRing a(65536, 2000, 0, 3), b(65536, 2000, 1, 3), c(65536, 2000, 2, 3);
  const wmf_writer writers[] = {a.writer(), b.writer(), c.writer()};
  connection_ = wmf_connect(feeder_.c_str(), writers, 3, 0);
  look();
  a.put(Bytes(1)), b.put(Bytes(2)), c.put(Bytes(3));
  a.flush(5), b.flush(7), c.flush(6);
  EXPECT_EQ(take(0), (std::vector<Bytes>{Bytes(1), Bytes(3)}));
  EXPECT_EQ(take(1), (std::vector<Bytes>{Bytes(2)}));
  EXPECT_EQ(point().ring(0).watermark_ns(99), 5);
  EXPECT_EQ(point().ring(1).watermark_ns(99), 7);
}

TEST_F(FeederPointTest, ALeaseOutlivesEverything) {
  std::optional<RingBlock> block;
  {
    FedRing ring;
    ring.put(Bytes(9, 1));
    look();
    come(ring);
    look();
    ring.flush();
    block = point().ring(0).next();
    ASSERT_TRUE(block);
    FrameBlock frames;
    point().ring(0).frames_of(*block, 1, frames);
    point_.reset();
    leave();
    EXPECT_EQ(test::bytes_of(frames.frames.at(0)), Bytes(9, 1));
  }
  block.reset();
}

TEST_F(FeederPointTest, BlocksThatNobodyLetsGoHoldTheRingUp) {
  FedRing ring(1 << 20);
  look();
  come(ring);
  look();
  std::vector<RingBlock> held;
  for (int i = 0; i < 100; ++i) {
    ring.put(Bytes(9));
    ring.flush();
    if (auto block = point().ring(0).next()) held.push_back(*std::move(block));
  }
  EXPECT_EQ(held.size(), 32u);
  EXPECT_TRUE(point().ring(0).waits_for_lease());
  held.clear();
  EXPECT_FALSE(point().ring(0).waits_for_lease());
  EXPECT_EQ(take().size(), 100u - 32);
}

}  // namespace
}  // namespace warpmeter
