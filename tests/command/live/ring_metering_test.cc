// The Metering Process of live rings: what extract makes of the same packets, however they are shared between rings and
// these between threads; nothing is lost that is not counted, and nothing hangs.
#include "command/live/ring_metering.h"

#include <gtest/gtest.h>

#include <mutex>

#include "command/live/metered_rings.h"
#include "reference/random_case.h"
#include "reference/random_traffic.h"
#include "reference/reference_random.h"
#include "support/packets.h"
#include "support/read_capture.h"
#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter::test {
namespace {

using reference::Random;

constexpr std::int64_t kSecond = 1'000'000'000;

// Between rings they are shared by flow, by conversation, or anyhow.
enum class Split { flow, conversation, anyhow };

std::vector<FakePacket> packets_of(const reference::TrafficShape& shape) {
  std::vector<FakePacket> packets;
  for (ReadFrame& f : read_bytes(reference::random_traffic(shape)).frames) {
    packets.push_back({std::move(f.bytes), f.time_ns, f.original});
  }
  return packets;
}

// What is no packet of a flow goes anywhere.
std::size_t ring_of(const FakePacket& packet, Split split, std::size_t rings, Random& random) {
  static const HashSeed seed = 77;
  SegmentBatch batch(1);
  DecodeCounters counters;
  FrameBlock block;
  const auto size = static_cast<std::uint32_t>(packet.frame.size());
  block.frames.push_back({packet.frame.data(), 0, size, std::max(size, packet.original), kLinkEthernet});
  Decoder({}, seed).decode(block, batch, counters);
  if (batch.count == 0 || split == Split::anyhow) return random.below(rings);
  return (split == Split::flow ? batch.hash[0] : batch.shard[0]) % rings;
}

void put_in(MeteredRings& metered, const std::vector<FakePacket>& packets, Split split, std::size_t rings,
            Random& random) {
  std::vector<std::vector<FakePacket>> blocks(rings);
  const auto put = [&](std::size_t ring) {
    if (!blocks[ring].empty()) metered.ring(ring).put(std::exchange(blocks[ring], {}));
  };
  for (const FakePacket& packet : packets) {
    const std::size_t ring = ring_of(packet, split, rings, random);
    blocks[ring].push_back(packet);
    if (random.percent(5)) put(ring);
  }
  for (std::size_t ring = 0; ring < rings; ++ring) put(ring);
  metered.stop();
}

// Numbers of packets are those of the thread that meters them.
std::vector<FlowRecord> records_of(MeteredRings& metered) {
  std::vector<FlowRecord> records;
  for (Partial& partial : metered.partials()) {
    partial.arrival = 0;
    records.push_back(partial);
  }
  return sorted(std::move(records));
}

struct Sums {
  std::uint64_t packets = 0, bytes = 0;
  friend bool operator==(const Sums&, const Sums&) = default;
};
Sums sums_of(const std::vector<FlowRecord>& records) {
  Sums sums;
  for (const FlowRecord& r : records) {
    sums.packets += r.packets;
    sums.bytes += r.bytes;
  }
  return sums;
}

void check_case(std::uint64_t seed) {
  Random random(seed);
  reference::RandomCase chosen = reference::random_case(seed);
  chosen.shape.link = 1;
  chosen.shape.cut_file = false;
  const auto rings = static_cast<unsigned>(1 + random.below(4));
  const auto threads = static_cast<unsigned>(1 + random.below(rings));
  const Split split = random.pick({Split::flow, Split::conversation, Split::anyhow});
  if (rings > 1) chosen.shape.gap_percent = 0;  // they are not read in one moment here: no thread is to be hours ahead
  const std::vector<FakePacket> packets = packets_of(chosen.shape);
  MeteringOptions options = ring_options(1);
  // Of several rings, packets have other numbers.
  if (rings > 1) options.meter.duplicates.window = 0;
  options.meter.timeouts = {chosen.options.idle_timeout, chosen.options.active_timeout};

  MeteredRings expected(options, 1);
  put_in(expected, packets, Split::anyhow, 1, random);
  expected.run_as_source();
  options.threads = threads;
  MeteredRings got(options, rings);
  put_in(got, packets, split, rings, random);
  got.run();

  const std::string what = "seed " + std::to_string(seed) + ", rings " + std::to_string(rings) + ", threads " +
                           std::to_string(threads) + ", split " + std::to_string(static_cast<int>(split));
  EXPECT_EQ(got.counts().received, packets.size()) << what;
  EXPECT_EQ(got.metered(), packets.size()) << what;
  EXPECT_EQ(got.metering().decode_counters().frames, packets.size()) << what;
  EXPECT_EQ(got.metering().decode_counters().ignored, expected.metering().decode_counters().ignored) << what;
  EXPECT_EQ(got.counts().hand_over_full, 0u) << what;
  for (std::size_t i = 0; i < rings; ++i) EXPECT_EQ(got.ring(i).held(), 0u) << what;
  const std::vector<FlowRecord> a = records_of(expected), b = records_of(got);
  EXPECT_EQ(sums_of(a), sums_of(b)) << what;
  if (split != Split::anyhow) {
    EXPECT_TRUE(same_records(a, b)) << what;
    EXPECT_EQ(got.counts().handed_over, 0u) << what;
  }
}

#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kCases = 15;  // each starts threads and fills tables
#else
constexpr std::uint64_t kCases = 60;
#endif

TEST(RingMetering, MetersAsExtractDoes) {
  for (std::uint64_t seed = 1; seed <= kCases; ++seed) check_case(seed);
}

FakePacket udp_packet(std::uint16_t port, std::int64_t time_ns, std::uint16_t id = 1) {
  return {ethernet(0x0800, ip4({.protocol = 17, .id = id}, udp(port, 53))), time_ns};
}
FakePacket tcp_packet(std::uint32_t sequence, std::int64_t time_ns, std::uint8_t flags = 0x10) {
  const Bytes payload = flags == 0x10 ? Bytes{1, 2, 3, 4} : Bytes{};
  const TcpFields fields{.sequence = sequence, .flags = flags};
  return {ethernet(0x0800, ip4({.id = static_cast<std::uint16_t>(time_ns)}, tcp(fields, payload))), time_ns};
}

// A flow whose packets come to another ring: metered where it began, in order as far as there is one.
TEST(RingMetering, WhatComesToAnotherRingIsHandedOver) {
  MeteredRings metered(ring_options(2), 2);
  std::jthread runner([&] { metered.run(); });
  std::uint64_t sent = 0;
  const auto send = [&](std::size_t ring, std::uint32_t sequence) {
    metered.ring(ring).put({tcp_packet(sequence, kSecond + static_cast<std::int64_t>(++sent))});
    wait_until([&] { return metered.metered() == sent; });
  };
  send(0, 1000);
  send(1, 1004);
  send(1, 1000);  // again
  send(0, 1012);  // a hole of 4
  send(1, 1008);  // it is filled
  metered.stop();
  runner.join();
  const std::vector<Partial> flows = metered.partials();
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_EQ(flows[0].packets, 5u);
  EXPECT_EQ(flows[0].retransmitted_segments, 1u);
  EXPECT_EQ(flows[0].missing_bytes, 0u);
  EXPECT_EQ(metered.counts().handed_over, 3u);
  EXPECT_EQ(metered.metering().decode_counters().metered, 5u);
}

// The beginning of a flow comes over another ring than what was metered first of it: one Flow Record, and nothing is
// missing of it.
TEST(RingMetering, ASynThatComesLateBelongsToItsFlow) {
  constexpr std::uint8_t kFin = 0x01, kSyn = 0x02;
  for (const bool as_source : {false, true}) {
    MeteredRings metered(ring_options(2), 2);
    std::jthread runner([&] { as_source ? metered.run_as_source() : metered.run(); });
    metered.ring(0).put({tcp_packet(1008, kSecond + 3), tcp_packet(1012, kSecond + 4, kFin)});
    wait_until([&] { return as_source ? metered.counts().received == 2 : metered.metered() == 2; });
    metered.ring(1).put({tcp_packet(999, kSecond, kSyn), tcp_packet(1000, kSecond + 1), tcp_packet(1004, kSecond + 2)});
    metered.stop();
    runner.join();
    const std::vector<Partial> flows = metered.partials();
    ASSERT_EQ(flows.size(), 1u) << as_source;
    EXPECT_EQ(flows[0].start_ns, kSecond);
    EXPECT_EQ(flows[0].packets, 5u);
    EXPECT_EQ(flows[0].missing_bytes, 0u);
    EXPECT_EQ(flows[0].connection_bytes, 12u);
    EXPECT_EQ(flows[0].connection_ns, 4u);
    EXPECT_EQ(flows[0].out_of_order_segments, 2u);  // as they were metered
  }
}

// A thread that does not come back to its queue while it is told to wait.
class HeldRing : public FakeRing {
 public:
  using FakeRing::FakeRing;
  void frames_of(RingBlock& block, std::size_t most, FrameBlock& frames) const override {
    reads = true;
    const std::lock_guard lock(held);
    FakeRing::frames_of(block, most, frames);
  }
  mutable std::mutex held;
  mutable std::atomic<bool> reads = false;
};

TEST(RingMetering, WhatFindsNoRoomAtItsOwnerIsCountedAndNobodyWaitsForEver) {
  auto held = std::make_unique<HeldRing>(0);
  HeldRing& first = *held;
  std::vector<std::unique_ptr<FakeRing>> rings;
  rings.push_back(std::move(held));
  rings.push_back(std::make_unique<FakeRing>(1));
  MeteredRings metered(ring_options(2), std::make_unique<FakePoint>(std::move(rings), "held"));
  std::jthread runner([&] { metered.run(16); });
  first.put({udp_packet(1, kSecond)});  // its flow
  wait_until([&] { return metered.metered() == 1; });
  std::unique_lock lock(first.held);
  first.reads = false;
  first.put({udp_packet(1, kSecond + 1, 2)});
  wait_until([&] { return first.reads.load(); });
  std::vector<FakePacket> many;
  for (std::uint16_t i = 0; i < 60; ++i)
    many.push_back(udp_packet(1, kSecond + 2 + i, static_cast<std::uint16_t>(i + 3)));
  metered.ring(1).put(std::move(many));
  wait_until([&] { return metered.metered() == 61; });  // without the owner
  EXPECT_EQ(metered.counts().handed_over, 16u);
  EXPECT_EQ(metered.counts().hand_over_full, 44u);
  lock.unlock();
  wait_until([&] { return metered.metered() == 62; });
  metered.ring(1).put({udp_packet(1, 2 * kSecond, 200)});  // there is room again
  metered.stop();
  runner.join();
  const std::vector<Partial> flows = metered.partials();
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_EQ(flows[0].packets, 62u + 1u - 44u);
  EXPECT_EQ(metered.metering().decode_counters().frames, 63u);
  EXPECT_EQ(metered.metering().decode_counters().metered, 63u - 44u);
}

TEST(RingMetering, AFlowLeavesWhereNothingFollowsIt) {
  for (const unsigned rings : {1u, 2u}) {
    MeteringOptions options = ring_options(rings);
    options.expire_every_ns = 5'000'000;
    options.meter.timeouts.idle_ns = 20'000'000;
    MeteredRings metered(options, rings);
    std::jthread runner([&] { metered.run(); });
    for (unsigned ring = 0; ring < rings; ++ring) {  // the second is handed over
      metered.ring(ring).put({udp_packet(1, wall_clock_ns(), static_cast<std::uint16_t>(ring + 1))});
      wait_until([&] { return metered.metered() == ring + 1; });
    }
    std::vector<Partial> left;
    std::uint64_t packets = 0;
    wait_until([&] {
      for (const Partial& flow : metered.ended()) {
        EXPECT_EQ(flow.end_reason, EndReason::idle);
        packets += flow.packets;
      }
      return packets == rings;
    });
    metered.stop();
    runner.join();
    EXPECT_TRUE(metered.partials().empty());
  }
}

// Packets at one moment an hour ahead, at the next an hour behind: none is lost, and it comes to an end.
TEST(RingMetering, AClockThatJumps) {
  MeteringOptions options = ring_options(2);
  options.expire_every_ns = 1'000'000;
  options.meter.timeouts.idle_ns = 10 * kSecond;
  MeteredRings metered(options, 2);
  std::uint64_t sent = 0;
  Random random(3);
  for (int block = 0; block < 300; ++block) {
    const std::int64_t now = wall_clock_ns() + (static_cast<std::int64_t>(random.below(3)) - 1) * 3600 * kSecond;
    std::vector<FakePacket> packets;
    for (std::uint16_t port = 1; port <= 20; ++port, ++sent)
      packets.push_back(udp_packet(port, now, static_cast<std::uint16_t>(sent)));
    metered.ring(random.below(2)).put(std::move(packets));
  }
  metered.stop();
  metered.run();
  EXPECT_EQ(sums_of(records_of(metered)).packets, sent);
  EXPECT_EQ(metered.metering().decode_counters().metered, sent);
}

// Not even where one thread has ended before another.
TEST(RingMetering, WhatLivesAtTheEndHasNotExpired) {
  for (int round = 0; round < 20; ++round) {
    MeteringOptions options = ring_options(3);
    options.expire_every_ns = 4;
    MeteredRings metered(options, 3);
    std::uint16_t sent = 0;
    for (unsigned ring = 0; ring < 3; ++ring) {
      for (unsigned block = 0; block < 40 * ring + 1; ++block, ++sent) {
        metered.ring(ring).put({udp_packet(sent % 7, wall_clock_ns(), sent)});
      }
    }
    metered.stop();
    metered.run();
    EXPECT_EQ(metered.metering().meter_counters().expired, 0u);
    const std::vector<FlowRecord> flows = records_of(metered);
    EXPECT_EQ(flows.size(), 7u);
    EXPECT_EQ(sums_of(flows).packets, sent);
  }
}

// Whether flows leave while it runs or all at the end, by whichever way, and though no packet came behind them.
TEST(RingMetering, WhatWasSilentAtTheEndWasIdle) {
  for (const std::int64_t expire_every_ns : {0, 5'000'000}) {
    for (const bool as_source : {false, true}) {
      MeteringOptions options = ring_options(2);
      options.expire_every_ns = expire_every_ns;
      options.meter.timeouts.idle_ns = 3600 * kSecond;
      MeteredRings metered(options, 2);
      metered.ring(0).put({udp_packet(1, wall_clock_ns() - 3601 * kSecond, 1)});
      metered.ring(1).put({udp_packet(2, wall_clock_ns() - 3602 * kSecond, 2)});
      metered.stop();
      as_source ? metered.run_as_source() : metered.run();
      const std::vector<FlowRecord> flows = records_of(metered);
      ASSERT_EQ(flows.size(), 2u);
      for (const FlowRecord& flow : flows) EXPECT_EQ(flow.end_reason, EndReason::idle) << expire_every_ns << as_source;
    }
  }
}

class BrokenRing : public FakeRing {
 public:
  using FakeRing::FakeRing;
  std::optional<RingBlock> next() override {
    if (broken) throw Error("no more of this ring");
    return FakeRing::next();
  }
  std::atomic<bool> broken = false;
};

TEST(RingMetering, WhatOneThreadThrowsEndsAll) {
  for (std::size_t which = 0; which < 3; ++which) {
    std::vector<std::unique_ptr<FakeRing>> rings;
    std::vector<BrokenRing*> all;
    for (unsigned i = 0; i < 3; ++i) {
      auto ring = std::make_unique<BrokenRing>(i);
      all.push_back(ring.get());
      rings.push_back(std::move(ring));
    }
    MeteredRings metered(ring_options(3), std::make_unique<FakePoint>(std::move(rings), "broken"));
    std::jthread breaker([&] {
      for (std::size_t i = 0; i < 3; ++i) metered.ring(i).put({udp_packet(static_cast<std::uint16_t>(i), kSecond)});
      while (metered.metered() < 3) std::this_thread::yield();
      all[which]->broken = true;
    });
    EXPECT_EQ(thrown_text([&] { metered.run(); }), "no more of this ring");
  }
}

}  // namespace
}  // namespace warpmeter::test
