// A feeder's frames as those of any live ring: time passes as it tells, and the capture ends with it, when all is
// taken.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "packet/nic/feeder/fed_ring.h"
#include "packet/nic/feeder/feeder_point.h"
#include "packet/nic/ring/ring_reader.h"

namespace warpmeter {
namespace {

using test::Bytes;
using test::FedRing;

class FeederReadingTest : public testing::Test {
 protected:
  FeederReadingTest()
      : name_("reading-" + std::to_string(getpid())), points_(make(), std::chrono::seconds(0), warn, stop_) {
    connection_ = wmf_connect(name_.c_str(), &fed_.writer(), 1, 0);
  }
  ~FeederReadingTest() override { leave(); }

  static void warn(const std::string&) {}
  std::vector<std::unique_ptr<ObservationPoint>> make() const {
    std::vector<std::unique_ptr<ObservationPoint>> points;
    points.push_back(std::make_unique<FeederPoint>(name_, 1));
    return points;
  }
  void leave() {
    if (connection_ >= 0) close(connection_);
    connection_ = -1;
  }
  // Frames until nothing comes, or the end.
  std::size_t take() {
    std::size_t frames = 0;
    while (auto taken = reader_.take()) frames += taken->block.frames;
    return frames;
  }

  const std::string name_;
  const std::atomic<bool> stop_ = false;
  FedRing fed_;
  ObservationPoints points_;
  RingReader reader_{points_, points_.rings()};
  int connection_ = -1;
};

TEST_F(FeederReadingTest, TimePassesAsTheFeederTells) {
  EXPECT_EQ(reader_.watermark_ns(), FrameBlock::kNothingPassed);
  fed_.put(Bytes(9), 1'000);
  fed_.flush();
  while (take() == 0) continue;
  EXPECT_EQ(reader_.watermark_ns(), 1'000);
  fed_.flush(5'000);
  take();
  EXPECT_EQ(reader_.watermark_ns(), 5'000);
  fed_.put(Bytes(9), 6'000);
  wmf_end(&fed_.writer(), 0);
  std::size_t frames = 0;
  while (!reader_.is_at_end()) frames += take();
  EXPECT_EQ(frames, 1u);
  EXPECT_EQ(reader_.watermark_ns(), FrameBlock::kNothingPassed) << "nobody waits for it any more";
  EXPECT_TRUE(points_.gone().empty());
}

TEST_F(FeederReadingTest, WhatADeadFeederGaveIsTaken) {
  for (int i = 0; i < 700; ++i) fed_.put(Bytes(50));
  fed_.flush();
  leave();
  std::size_t frames = 0;
  while (!reader_.is_at_end()) frames += take();
  EXPECT_EQ(frames, 700u);
  EXPECT_EQ(points_.gone(),
            std::vector<std::string>{"shm:" + name_ + ": the feeder is gone, and did not say that it ended"});
}

TEST_F(FeederReadingTest, DamageEndsIt) {
  fed_.put(Bytes(50));
  fed_.put(Bytes(50));
  fed_.record_at(80).flags = 9;
  fed_.flush();
  std::size_t frames = 0;
  while (!reader_.is_at_end()) frames += take();
  EXPECT_EQ(frames, 1u);
  EXPECT_EQ(points_.gone(), std::vector<std::string>{"shm:" + name_ + ": its ring 0 is damaged: flags 9 at byte 80"});
}

}  // namespace
}  // namespace warpmeter
