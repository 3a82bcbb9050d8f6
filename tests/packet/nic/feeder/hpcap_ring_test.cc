// HP-CAP's buffer, by a double of its driver: records over the end of the buffer, padding at the ends of files, a
// listener that comes late, losses as lower bounds, damage.

#include <gtest/gtest.h>

#include <random>

#include "packet/nic/feeder/hpcap_double.h"
#include "packet/nic/feeder/hpcap_driver.h"
#include "packet/nic/feeder/hpcap_point.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::HpcapDouble;
using test::HpcapState;

class HpcapRingTest : public testing::Test {
 protected:
  void open() {
    std::vector<std::unique_ptr<HpcapDevice>> devices;
    devices.push_back(std::make_unique<HpcapDouble>(state_));
    point_ = std::make_unique<HpcapPoint>("hpcap:0", std::move(devices));
  }
  std::vector<Bytes> take() {
    std::vector<Bytes> taken;
    Ring& ring = point_->ring(0);
    while (auto block = ring.next()) {
      FrameBlock frames;
      while (block->frames > 0) ring.frames_of(*block, 3, frames);
      for (const Frame& frame : frames.frames) {
        EXPECT_EQ(frame.original, frame.captured + 4);
        EXPECT_EQ(frame.time_ns % 1'000'000'000, 5);
        EXPECT_EQ(frame.link, 1);
        taken.emplace_back(frame.data, frame.data + frame.captured);
      }
    }
    return taken;
  }

  std::shared_ptr<HpcapState> state_ = std::make_shared<HpcapState>(4096);
  std::unique_ptr<HpcapPoint> point_;
};

TEST_F(HpcapRingTest, ManyLapsWithRecordsOverTheEnd) {
  open();
  std::mt19937 random(3);
  std::uint64_t put = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<Bytes> expected;
    for (auto i = random() % 12; i > 0; --i) {
      const Bytes frame(random() % 700, static_cast<std::uint8_t>(random()));
      if (state_->put(7, frame)) expected.push_back(frame);
    }
    put += expected.size();
    ASSERT_EQ(take(), expected);
  }
  point_->look([](const std::string&) {});
  EXPECT_EQ(point_->ring(0).counts().received, put);
  EXPECT_GT(state_->lost, 0u);
  EXPECT_EQ(point_->counts().lost, state_->lost);
  EXPECT_TRUE(point_->counts().at_least);
  EXPECT_EQ(state_->used, 0u) << "all was given back";
}

TEST_F(HpcapRingTest, WhereFilesEnd) {
  for (std::uint64_t left = 0; left < 40; ++left) {
    state_ = std::make_shared<HpcapState>(4096);
    state_->file_offset = HpcapRing::kFileBytes - 40;
    open();
    if (left < 28) state_->put(7, Bytes(28 - left, 1));
    const std::size_t before = take().size();
    EXPECT_EQ(before, left < 28 ? 1u : 0u);
    state_->put(7, Bytes(100, 2));
    EXPECT_EQ(take(), std::vector<Bytes>{Bytes(100, 2)}) << left;
    EXPECT_FALSE(point_->is_gone()) << point_->why_gone();
  }
}

// It begins where the driver is, in the middle of a file; only from that it knows where the file ends.
TEST_F(HpcapRingTest, ALateListener) {
  state_->file_offset = HpcapRing::kFileBytes - 200;
  state_->put(7, Bytes(100, 1));
  ASSERT_EQ(HpcapDouble(state_).ack_wait(112).bytes, 0u);
  state_->put(7, Bytes(20, 2));  // is there when it comes
  open();
  state_->put(7, Bytes(35, 3));  // leaves 9 bytes of the file
  state_->put(7, Bytes(300, 4));
  EXPECT_EQ(take(), (std::vector<Bytes>{Bytes(20, 2), Bytes(35, 3), Bytes(300, 4)}));
  EXPECT_FALSE(point_->is_gone());
}

TEST_F(HpcapRingTest, ARecordThatIsNotWholeYet) {
  open();
  const Bytes record = test::HpcapFile().record(7, 5, Bytes(50, 1), 4).data();
  state_->write({record.begin(), record.begin() + 7});
  EXPECT_TRUE(take().empty());
  state_->write({record.begin() + 7, record.begin() + 40});
  EXPECT_TRUE(take().empty());
  state_->write({record.begin() + 40, record.end()});
  EXPECT_EQ(take(), std::vector<Bytes>{Bytes(50, 1)});
}

TEST_F(HpcapRingTest, Padding) {
  open();
  state_->write(test::HpcapFile().padding(0).padding(300).record(7, 5, Bytes(50, 1), 4).padding(20).data());
  EXPECT_EQ(take(), std::vector<Bytes>{Bytes(50, 1)});
  EXPECT_EQ(state_->used, 0u);
}

TEST_F(HpcapRingTest, WhatComesAfterTheEndIsNotTaken) {
  open();
  state_->put(7, Bytes(50, 1));
  point_->ring(0).shut();
  EXPECT_DOUBLE_EQ(point_->ring(0).fill().value(), 62.0 / 4096);
  state_->put(7, Bytes(50, 2));
  EXPECT_EQ(take(), std::vector<Bytes>{Bytes(50, 1)});
  EXPECT_FALSE(point_->is_gone());
}

TEST_F(HpcapRingTest, Damage) {
  open();
  state_->put(7, Bytes(50, 1));
  state_->write(test::HpcapFile().header(7, 1'000'000'000, 1, 1).data());
  EXPECT_EQ(take(), std::vector<Bytes>{Bytes(50, 1)}) << "what came before";
  EXPECT_TRUE(point_->is_gone());
  EXPECT_EQ(point_->why_gone(), "the driver's buffer is damaged: nanoseconds 1000000000 at byte 62");
  EXPECT_TRUE(take().empty());

  state_ = std::make_shared<HpcapState>(4096);
  state_->file_offset = HpcapRing::kFileBytes - 40;
  open();
  state_->write(test::HpcapFile().record(7, 5, Bytes(29, 1), 4).data());
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(point_->why_gone(),
            "the driver's buffer is damaged: a record that goes on over the end of its file at byte 0");
}

TEST_F(HpcapRingTest, DriversThatCannotBe) {
  open();
  state_->read_offset = 5;
  state_->put(7, Bytes(50, 1));
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(point_->why_gone(), "the driver goes on at byte 5 of its buffer in the place of 0");
  state_ = std::make_shared<HpcapState>(4096);
  open();
  state_->used = 4097;
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(point_->why_gone(), "the driver tells of 4097 bytes at byte 0 of 4096");
  state_ = std::make_shared<HpcapState>(4096);
  open();
  state_->refusal = "the driver has ended this listener";
  point_->ring(0).shut();
  EXPECT_TRUE(take().empty());
  EXPECT_EQ(point_->why_gone(), state_->refusal);
  EXPECT_FALSE(point_->ended_well());
}

TEST(HpcapDriver, IsNotHere) {
  if (access("/dev/hpcap_99_0", F_OK) == 0) GTEST_SKIP() << "a machine without 100 cards of HP-CAP runs this";
  EXPECT_EQ(test::thrown_text([] { open_hpcap_point("99"); }),
            "hpcap:99: there is no /dev/hpcap_99_0: the HP-CAP driver is not loaded for this adapter");
  for (const char* word : {"", "eth0", "-1", "100", "1:2"}) {
    EXPECT_EQ(test::thrown_text([&] { open_hpcap_point(word); }),
              "hpcap:" + std::string(word) + ": the number of an adapter, as hpcap:0");
  }
  EXPECT_EQ(driver_statistics_sum("hpcap99", {"rx_hpcap_client_lost_frames"}), 0u);
  EXPECT_EQ(driver_statistics_sum("lo", {"rx_hpcap_client_lost_frames"}), 0u);
}

}  // namespace
}  // namespace warpmeter
