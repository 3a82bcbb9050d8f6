// When devices are told to let idle flows go, and that those on the CPU beside them go, too.
#include <gtest/gtest.h>

#include <algorithm>

#include "pipeline/metering/played_device.h"

namespace warpmeter::test {
namespace {

// Packets of one port each, or none; after each, time passes.
class TickingSource : public PacketSource {
 public:
  TickingSource(std::vector<std::uint16_t> ports, std::int64_t tick_ns) : tick_ns_(tick_ns) {
    for (const std::uint16_t port : ports) {
      packets_.push_back(port ? ip4({.protocol = 17, .id = 1}, udp(port, 53)) : Bytes());
    }
  }
  bool ends() const override { return true; }
  bool repeatable() const override { return true; }

 private:
  bool claim(Chunk& chunk, const ChunkOptions&) override {
    if (next_ == packets_.size()) return false;
    const Bytes& packet = packets_[next_++];
    const auto size = static_cast<std::uint32_t>(packet.size());
    if (size) chunk.block.frames.push_back({packet.data(), time_ns_, size, size, kLinkRaw});
    chunk.block.watermark_ns = time_ns_ += tick_ns_;
    return true;
  }

  std::vector<Bytes> packets_;
  const std::int64_t tick_ns_;
  std::size_t next_ = 0;
  std::int64_t time_ns_ = 1'000'000'000 * kMs;
};

class DeviceMeteringExpiry : public PlayedMetering {
 protected:
  DeviceMeteringExpiry() {
    options_.expire_every_ns = 5 * kMs;
    options_.batch_deadline_ns = 1;  // a batch a chunk
    options_.meter.timeouts.idle_ns = 20 * kMs;
  }

  void run_and_drain(const std::vector<std::uint16_t>& ports, std::int64_t tick_ns = kMs) {
    DeviceMetering::Devices devices;
    for (Played& played : played_) devices.push_back(device(played));
    TickingSource source(ports, tick_ns);
    runs_ = std::make_unique<RunStore>(runs_options_);
    metering_ = std::make_unique<DeviceMetering>(options_, std::move(devices), kHashSeed, source, *runs_, clock_);
    metering_->run();
    metering_->drain();
    for (const Played& played : played_) EXPECT_EQ(played.mistakes, std::vector<std::string>());
  }
};

TEST_F(DeviceMeteringExpiry, EveryDeviceIsToldAsOftenAsWasAskedFor) {
  for (const unsigned devices : {1u, 3u}) {
    play(devices);
    for (Played& played : played_) played.expired.clear();
    run_and_drain(std::vector<std::uint16_t>(101));
    for (const Played& played : played_) {
      ASSERT_EQ(played.expired.size(), 21u);
      for (std::size_t i = 1; i < played.expired.size(); ++i) {
        EXPECT_EQ(played.expired[i] - played.expired[i - 1], options_.expire_every_ns);
      }
      EXPECT_LE(played.most_in_flight, DeviceMeter::kMostInFlight);
    }
  }
}

TEST_F(DeviceMeteringExpiry, NobodyIsToldWhereNothingLeavesWhileItRuns) {
  options_.expire_every_ns = 0;
  run_and_drain(std::vector<std::uint16_t>(50));
  EXPECT_TRUE(played_[0].expired.empty());
}

// More are idle than can leave at once: the rest goes as soon as that is known, not when it is time again.
TEST_F(DeviceMeteringExpiry, WhatIsLeftGoesBeforeLong) {
  options_.expire_every_ns = 1000 * kMs;
  played_[0].idle_left = 100;  // 50, 25, 12, 6, 3, 1, 0
  run_and_drain(std::vector<std::uint16_t>(40));
  EXPECT_EQ(played_[0].idle_left, 0u);
  EXPECT_EQ(played_[0].expired.size(), 8u);
  // All at the same time, but for the first.
  EXPECT_EQ(played_[0].expired[1], played_[0].expired.back());
}

// The flow of a key that the device left to the CPU, while nothing else comes.
TEST_F(DeviceMeteringExpiry, FlowsOnTheCpuLeaveWhileItRuns) {
  std::vector<std::uint16_t> ports(60);
  ports[0] = kOverflowPort;
  ports[55] = kOverflowPort;
  run_and_drain(ports);
  const std::vector<Partial> parts = partials();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].packets, 1u);
  EXPECT_EQ(parts[0].end_reason, EndReason::idle);
  EXPECT_EQ(parts[0].removal, Removal::expired);
  EXPECT_EQ(parts[1].end_reason, EndReason::forced);
  EXPECT_EQ(metering_->meter_counters().expired, 1u);
}

}  // namespace
}  // namespace warpmeter::test
