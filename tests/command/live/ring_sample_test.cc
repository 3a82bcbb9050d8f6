// A sample of flows that changes while rings are metered: flows that are in it throughout are whole, those that leave
// it end for lack of resources, and every packet is metered or counted.
#include <gtest/gtest.h>

#include <map>

#include "command/live/live_sampling.h"
#include "command/live/metered_rings.h"
#include "core/flow_hash.h"
#include "reference/reference_random.h"
#include "support/fewer.h"
#include "support/packets.h"

namespace warpmeter::test {
namespace {

using reference::Random;

constexpr std::int64_t kRoundNs = 1'000'000'000;
constexpr std::uint16_t kSampledFlows = 400;
const FlowSample kWholeSample{.one_in = 1, .seed = 5};

FlowSample sample_of(std::uint32_t one_in) { return {one_in, kWholeSample.seed}; }

FakePacket packet_of_flow(std::uint16_t port, std::int64_t time_ns, std::uint16_t id) {
  return {ethernet(0x0800, ip4({.protocol = 17, .id = id}, udp(port, 53))), time_ns};
}

bool is_in_sample(const FlowKey& key, std::uint32_t one_in) { return sample_of(one_in).takes(hashed_key(key)); }

class SampledRings {
 public:
  explicit SampledRings(unsigned rings, std::uint64_t flow_memory = 64 << 20)
      : rings_(rings), rate_(1, rings), metered_(options_of(rings, flow_memory), rings) {
    runner_ = std::jthread([this] { metered_.run(RingMetering::kQueue, {.sample = &rate_}); });
  }

  // One packet of each flow, over rings by chance.
  void send_all() {
    ++round_;
    std::vector<std::vector<FakePacket>> blocks(rings_);
    for (std::uint16_t flow = 1; flow <= kSampledFlows; ++flow) {
      blocks[random_.below(rings_)].push_back(
          packet_of_flow(flow, round_ * kRoundNs, static_cast<std::uint16_t>(round_)));
    }
    for (unsigned ring = 0; ring < rings_; ++ring) {
      if (!blocks[ring].empty()) metered_.ring(ring).put(std::move(blocks[ring]));
    }
    sent_ += kSampledFlows;
  }
  void send_and_wait() {
    send_all();
    wait_until([&] { return metered_.metered() == sent_; });
  }
  void change(std::uint32_t one_in) {
    rate_.change(one_in);
    wait_until([&] { return rate_.is_settled(); });
  }
  std::vector<Partial> end() {
    metered_.stop();
    runner_.join();
    return metered_.partials();
  }

  MeteredRings& metered() { return metered_; }
  SampleRate& rate() { return rate_; }
  std::uint64_t sent() const { return sent_; }
  std::uint64_t not_sampled() const {
    return metered_.metering().decode_counters().ignored[static_cast<int>(Ignored::not_sampled)];
  }

 private:
  static MeteringOptions options_of(unsigned threads, std::uint64_t flow_memory) {
    MeteringOptions options = ring_options(threads);
    options.meter.flow_memory = flow_memory;
    options.meter.duplicates.window = 0;
    options.decode.sample = kWholeSample;
    options.expire_every_ns = kRoundNs;  // there is a wheel, which must lose no flow
    return options;
  }

  const unsigned rings_;
  SampleRate rate_;
  MeteredRings metered_;
  Random random_{7};
  std::int64_t round_ = wall_clock_ns() / kRoundNs - 20;  // of packets, in seconds
  std::uint64_t sent_ = 0;
  std::jthread runner_;
};

TEST(RingSample, FlowsThatLeaveEndAndOthersAreWhole) {
  for (const unsigned rings : {1u, 2u, 3u}) {
    SampledRings sampled(rings);
    sampled.send_and_wait();
    sampled.change(4);
    std::size_t left = 0;
    for (const Partial& flow : sampled.metered().ended()) {
      ++left;
      EXPECT_FALSE(is_in_sample(flow.key, 4));
      EXPECT_EQ(flow.end_reason, EndReason::lack_of_resources);
      EXPECT_EQ(flow.packets, 1u);
    }
    EXPECT_GT(left, kSampledFlows / 2);
    sampled.send_and_wait();
    sampled.change(16);
    sampled.send_and_wait();
    sampled.change(8);  // none leaves
    sampled.send_and_wait();
    std::map<std::uint64_t, std::uint64_t> by_packets;
    std::uint64_t metered = left;
    for (const Partial& flow : sampled.end()) {
      metered += flow.packets;
      if (is_in_sample(flow.key, 16)) {
        EXPECT_EQ(flow.packets, 4u);
      }
      const bool stays = is_in_sample(flow.key, 16) || (is_in_sample(flow.key, 8) && flow.packets == 1);
      EXPECT_EQ(flow.end_reason, stays ? EndReason::forced : EndReason::lack_of_resources);
    }
    EXPECT_EQ(metered + sampled.not_sampled(), sampled.sent());
    EXPECT_EQ(sampled.metered().metering().decode_counters().metered, metered);
  }
}

// What comes in the middle of changes: flows that are in the rarest sample are whole, whatever was on the way, and no
// flow that left it goes on.
TEST(RingSample, ChangesWhilePacketsCome) {
  for (const unsigned rings : {1u, 3u}) {
    SampledRings sampled(rings);
    std::uint64_t rounds = 0;
    for (const std::uint32_t one_in : {2u, 4u, 8u, 4u, 2u, 1u, 2u, 8u}) {
      sampled.rate().change(one_in);
      do {
        sampled.send_all();
        ++rounds;
      } while (!sampled.rate().is_settled());
    }
    wait_until([&] { return sampled.metered().metered() == sampled.sent(); });
    std::uint64_t metered = 0;
    for (const Partial& flow : sampled.end()) {
      metered += flow.packets;
      if (is_in_sample(flow.key, 8)) {
        EXPECT_EQ(flow.packets, rounds);
      } else {
        EXPECT_EQ(flow.end_reason, EndReason::lack_of_resources);
      }
    }
    EXPECT_EQ(metered + sampled.not_sampled(), sampled.sent());
  }
}

// A thread that has come to its end holds up no change.
TEST(RingSample, AtTheEnd) {
  for (std::size_t round = 0; round < fewer(20); ++round) {
    SampledRings sampled(3);
    sampled.send_all();
    sampled.rate().change(2);
    std::uint64_t metered = 0;
    for (const Partial& flow : sampled.end()) metered += flow.packets;
    EXPECT_EQ(metered + sampled.not_sampled(), sampled.sent());
  }
}

}  // namespace
}  // namespace warpmeter::test
