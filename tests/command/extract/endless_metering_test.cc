// The Metering Process on a source that never ends: all that came before it was stopped is metered, and no block of the
// ring is lost.
#include <gtest/gtest.h>

#include <thread>

#include "packet/file/repeating_ring.h"
#include "pipeline/metering/cpu_metering.h"
#include "support/packets.h"
#include "support/record_maker.h"

namespace warpmeter::test {
namespace {

Bytes ethernet(const Bytes& packet) { return ByteWriter().zeros(12).u16(0x0800).bytes(packet).data(); }

TEST(EndlessMetering, MetersAllThatCameUntilItWasStopped) {
  const std::vector<Bytes> packets = {ethernet(ip4({.protocol = 17, .id = 1}, udp(1000, 53))),
                                      ethernet(ip4({.protocol = 17, .id = 2}, udp(2000, 53, {1, 2, 3}))),
                                      ethernet(ip4({}, tcp({.source_port = 3000}, {1})))};
  constexpr std::size_t kBlocks = 4;
  for (const unsigned threads : {1u, 3u, 20u, 40u}) {
    std::atomic<bool> stop = false;
    RepeatingRing ring(packets, kBlocks, stop);
    MeteringOptions options;
    options.threads = threads;
    RunStore runs({.folder = "/tmp", .order = arrival_order, .memory_limit = 1 << 20});
    StageClock clock;
    CpuMetering metering(options, ring, runs, clock);
    std::jthread stopper([&] {
      while (ring.blocks_given() < 500) std::this_thread::yield();
      stop = true;
    });
    metering.run();
    metering.drain();
    EXPECT_EQ(metering.decode_counters().frames, ring.frames_read());
    EXPECT_EQ(metering.decode_counters().metered, ring.frames_read());
    EXPECT_EQ(metering.running().frames, ring.frames_read());
    EXPECT_EQ(metering.running().metered, ring.frames_read());
    EXPECT_EQ(metering.running().live_flows + metering.running().ended_flows, packets.size());
    EXPECT_EQ(ring.frames_read(), packets.size() * ring.blocks_given());
    EXPECT_EQ(ring.blocks_free(), kBlocks);
    const std::vector<Partial> flows = all_of(*runs.sorted(1)->in({}));
    EXPECT_EQ(flows.size(), packets.size());
    for (const Partial& flow : flows) EXPECT_EQ(flow.packets, ring.blocks_given());
  }
}

// A ring that falls silent, and says that time passes.
class SilentRing : public PacketSource {
 public:
  SilentRing(Bytes packet, const std::atomic<bool>& stop) : packet_(std::move(packet)), stop_(stop) {}
  bool ends() const override { return false; }
  bool repeatable() const override { return false; }

 private:
  bool claim(Chunk& chunk, const ChunkOptions&) override {
    if (stop_) return false;
    if (time_ns_ == 0) {
      const auto size = static_cast<std::uint32_t>(packet_.size());
      chunk.block.frames.push_back({packet_.data(), time_ns_, size, size, kLinkEthernet});
    }
    chunk.block.watermark_ns = time_ns_ += 1'000'000;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    return true;
  }

  const Bytes packet_;
  const std::atomic<bool>& stop_;
  std::int64_t time_ns_ = 0;
};

TEST(EndlessMetering, AFlowLeavesWhereNothingFollowsIt) {
  for (const unsigned threads : {1u, 3u}) {
    std::atomic<bool> stop = false;
    SilentRing ring(ethernet(ip4({.protocol = 17, .id = 1}, udp(1000, 53))), stop);
    MeteringOptions options;
    options.threads = threads;
    options.expire_every_ns = 5'000'000;
    options.meter.timeouts.idle_ns = 20'000'000;
    RunStore runs({.folder = "/tmp", .order = arrival_order, .memory_limit = 1 << 20});
    StageClock clock;
    CpuMetering metering(options, ring, runs, clock);
    std::vector<Partial> left;
    std::jthread taker([&] {
      for (int i = 0; i < 20'000 && left.empty(); ++i) {
        if (const std::unique_ptr<RunStore> taken = runs.take()) left = all_of(*taken->sorted(1)->in({}));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      stop = true;
    });
    metering.run();
    taker.join();
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].packets, 1u);
    EXPECT_EQ(left[0].end_reason, EndReason::idle);
    EXPECT_EQ(metering.running().ended_flows, 1u);
    EXPECT_EQ(metering.running().live_flows, 0u);
    metering.drain();
    EXPECT_TRUE(all_of(*runs.sorted(1)->in({})).empty());
  }
}

}  // namespace
}  // namespace warpmeter::test
