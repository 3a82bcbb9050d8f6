// What devices leave to the CPU: segments named by their place in a piece, flows that go on here, and their end.
#include "pipeline/metering/cpu_fallback.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "support/flow_key_maker.h"
#include "support/segment_maker.h"
#include "support/tcp_flow.h"

namespace warpmeter::test {
namespace {

constexpr std::uint64_t kHashSeed = 7;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kNoPacket = std::numeric_limits<std::int64_t>::min();

FlowHash hash_of(std::uint32_t flow) { return hash_flow(numbered_key(flow), kHashSeed); }

class CpuFallbackTest : public testing::Test {
 protected:
  static MeteringOptions options() {
    MeteringOptions options;
    options.meter.flow_memory = 64 << 20;
    return options;
  }

  // The next segment of the batch.
  void add(std::uint32_t flow, Segment segment) {
    segment.frame = batch_.count;
    batch_.push({hashed_key(numbered_key(flow)), segment});
  }
  void add(std::uint32_t flow, std::int64_t time_ns) { add(flow, test_segment(time_ns)); }

  void meter(std::uint32_t begin, std::vector<std::uint32_t> overflow, std::vector<std::uint8_t> duplicate = {}) {
    result_.duplicate = std::move(duplicate);
    result_.duplicate.resize(overflow.size());
    result_.overflow = std::move(overflow);
    fallback_.meter(0, batch_.span(begin, batch_.count), result_);
    result_ = {};
    take_finished();
  }
  void meter_all() {
    std::vector<std::uint32_t> all(batch_.count);
    std::iota(all.begin(), all.end(), 0);
    meter(0, all);
  }
  void next_batch(std::uint64_t first_number) { batch_.reset(first_number); }

  std::vector<Partial> drain(std::int64_t trace_end_ns = 0) {
    for (Shard* const shard : fallback_.shards()) {
      while (shard->drain(trace_end_ns, 3)) {
      }
    }
    take_finished();
    std::sort(finished_.begin(), finished_.end(), [](const auto& a, const auto& b) { return a.arrival < b.arrival; });
    return finished_;
  }

  // Also what is not given away yet.
  void take_finished() {
    for (Shard* const shard : fallback_.shards()) {
      finished_.insert(finished_.end(), shard->finished().begin(), shard->finished().end());
      shard->finished().clear();
    }
  }

  PackedBatch batch_{1024, *std::pmr::new_delete_resource()};
  DeviceMeter::Result result_;
  StageClock clock_;
  CpuFallback fallback_{options(), kHashSeed, 1, clock_, [this](const PartialChunk& partials) {
                          finished_.insert(finished_.end(), partials.begin(), partials.end());
                        }};
  std::vector<Partial> finished_;
};

TEST_F(CpuFallbackTest, WithoutFlowsThereIsNothing) {
  EXPECT_EQ(fallback_.latest_ns(), kNoPacket);
  EXPECT_TRUE(fallback_.list_live(0, kSecond).empty());
  EXPECT_TRUE(fallback_.shards().empty());
  EXPECT_TRUE(finished_.empty());
  EXPECT_EQ(fallback_.counters().on_cpu, 0u);
}

TEST_F(CpuFallbackTest, MetersWhatIsNamedAndNothingElse) {
  next_batch(100);
  for (const std::uint32_t flow : {1, 2, 1, 3, 1, 2}) add(flow, flow * 10);
  meter(0, {0, 2});
  meter(3, {0, 1});  // counted from the begin of the piece: flow 3, and flow 1 again
  EXPECT_EQ(fallback_.latest_ns(), 30);
  EXPECT_EQ(fallback_.counters().on_cpu, 4u);
  const std::vector<Partial> flows = drain();
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(compare(flows[0].key, numbered_key(1)), 0);
  EXPECT_EQ(flows[0].arrival, 100u);
  EXPECT_EQ(flows[0].packets, 3u);
  EXPECT_EQ(compare(flows[1].key, numbered_key(3)), 0);
  EXPECT_EQ(flows[1].arrival, 103u);
  EXPECT_EQ(flows[1].packets, 1u);
}

// Whatever the segments themselves look like, and however they are spread over the shards.
TEST_F(CpuFallbackTest, DuplicatesAreThoseThatTheDeviceFound) {
  std::vector<std::uint32_t> overflow;
  std::vector<std::uint8_t> duplicate;
  for (std::uint32_t i = 0; i < 900; ++i) {
    add(i % 100, test_segment(i).identified(5));
    if (i % 3 == 0) continue;
    overflow.push_back(i);
    duplicate.push_back(i % 100 < 10);
  }
  meter(0, overflow, duplicate);
  const auto expected = static_cast<std::uint64_t>(std::accumulate(duplicate.begin(), duplicate.end(), 0));
  EXPECT_EQ(fallback_.counters().duplicate_packets, expected);
  std::uint64_t found = 0;
  for (const Partial& flow : drain()) {
    const bool duplicates_only = flow.key.source[3] < 10;
    EXPECT_EQ(flow.duplicate_packets, duplicates_only ? flow.packets : 0);
    found += flow.duplicate_packets;
  }
  EXPECT_EQ(found, expected);
}

TEST_F(CpuFallbackTest, FlowsThatEndWithinABatchAreFinishedWithIt) {
  add(1, 0);
  add(1, 400 * kSecond);
  meter_all();
  ASSERT_EQ(finished_.size(), 1u);
  EXPECT_EQ(finished_[0].end_reason, EndReason::idle);
  EXPECT_EQ(finished_[0].packets, 1u);
}

// A flow that the device had until now; 100 and 105 to 110 are seen.
CpuTakeover flow_with_a_hole(std::uint32_t flow) {
  TcpFlow tcp;
  tcp.at(kSecond).data(100, 1).data(105, 5);
  tcp.state.key = numbered_key(flow);
  tcp.state.bits |= kInUse;
  tcp.state.arrival = 11;
  tcp.state.packets = 2;
  tcp.state.end_ns = kSecond;
  return {tcp.state, {{101, 105}}, std::nullopt};
}

TEST_F(CpuFallbackTest, HandedOverFlowGoesOnWithItsHoles) {
  next_batch(50);
  add(9, 0);
  add(1, test_segment(2 * kSecond).tcp(102, 0, 2));  // fills a part of the hole
  add(1, test_segment(3 * kSecond).tcp(107, 0, 5));  // three bytes again
  result_.handed_over.push_back(flow_with_a_hole(1));
  meter(1, {0, 1});
  EXPECT_TRUE(finished_.empty());
  const std::vector<Partial> flows = drain();
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_EQ(flows[0].arrival, 11u);
  EXPECT_EQ(flows[0].packets, 4u);
  EXPECT_EQ(flows[0].data_segments, 4u);
  EXPECT_EQ(flows[0].out_of_order_segments, 1u);
  EXPECT_EQ(flows[0].retransmitted_segments, 1u);
  EXPECT_EQ(flows[0].retransmitted_bytes, 3u);
  EXPECT_EQ(flows[0].missing_bytes, 2u);  // 101 and 104
  EXPECT_EQ(flows[0].end_ns, 3 * kSecond);
  EXPECT_EQ(fallback_.counters().on_cpu, 2u);  // not those that the device metered
}

TEST_F(CpuFallbackTest, HandedOverFlowBringsItsDuplicatesAndItsSpilledCounters) {
  CpuTakeover flow = flow_with_a_hole(1);
  flow.state.end_ns = 9 * kSecond;
  flow.state.duplicate_packets = 1;
  flow.state.bits |= kCountersSpilled;
  flow.spilled_counters.emplace();
  flow.spilled_counters->packets = 1000;
  flow.spilled_counters->duplicate_packets = 10;
  flow.spilled_counters->end_ns = kSecond;
  result_.handed_over.push_back(flow);
  add(1, test_segment(5 * kSecond).tcp(110, 0, 1));
  meter(0, {0}, {1});
  EXPECT_EQ(fallback_.latest_ns(), 5 * kSecond);  // the time of its shard is that of the packets it has had
  EXPECT_EQ(fallback_.counters().duplicate_packets, 12u);
  const std::vector<Partial> flows = drain();
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_EQ(flows[0].packets, 1003u);
  EXPECT_EQ(flows[0].duplicate_packets, 12u);
}

TEST_F(CpuFallbackTest, HandedOverFlowEndsAnIdleOneOfItsKey) {
  add(1, -1000 * kSecond);
  meter_all();
  next_batch(50);
  add(1, test_segment(2 * kSecond).tcp(110, 0, 1));
  result_.handed_over.push_back(flow_with_a_hole(1));
  meter(0, {0});
  ASSERT_EQ(finished_.size(), 1u);
  EXPECT_EQ(finished_[0].end_reason, EndReason::idle);
  EXPECT_EQ(finished_[0].packets, 1u);
  EXPECT_EQ(drain().back().packets, 3u);
}

TEST_F(CpuFallbackTest, ManyFlowsAreHandedOverAtOnce) {
  for (std::uint32_t flow = 0; flow < 500; ++flow) {
    result_.handed_over.push_back(flow_with_a_hole(flow));
    add(flow, test_segment(2 * kSecond).tcp(110, 0, 1));
  }
  meter_all();
  const std::vector<Partial> flows = drain();
  ASSERT_EQ(flows.size(), 500u);
  for (const Partial& flow : flows) EXPECT_EQ(flow.packets, 3u);
}

TEST_F(CpuFallbackTest, EveryDeviceListsTheFlowsOfItsShare) {
  for (const unsigned devices : {1u, 2u, 3u, 7u, 64u}) {
    CpuFallback fallback(options(), kHashSeed, devices, clock_, [](const PartialChunk&) {});
    std::vector<std::vector<std::uint32_t>> of_device(devices);
    next_batch(0);
    for (std::uint32_t flow = 0; flow < 300; ++flow) {
      of_device[share_of(hash_of(flow).shard, devices)].push_back(flow);
      add(flow, 1000 + flow);
    }
    std::vector<int> seen(300);
    for (unsigned device = 0; device < devices; ++device) {
      DeviceMeter::Result result;
      result.overflow = of_device[device];
      result.duplicate.resize(result.overflow.size());
      fallback.meter(device, batch_.span(0, batch_.count), result);
      for (const FlowOnCpu& flow : fallback.list_live(device, 2000)) {
        const auto number = static_cast<std::uint32_t>(flow.key.source[2] << 8 | flow.key.source[3]);
        EXPECT_EQ(share_of(hash_of(number).shard, devices), device);
        EXPECT_EQ(flow.end_ns, 1000 + number);
        ++seen.at(number);
      }
    }
    EXPECT_EQ(seen, std::vector<int>(300, 1)) << devices << " devices";
    EXPECT_EQ(fallback.live(), 300u);
  }
}

TEST_F(CpuFallbackTest, IdleFlowsAreLetGoAndNotListed) {
  add(1, 0);
  add(2, 200 * kSecond);
  meter_all();
  const auto live = fallback_.list_live(0, 400 * kSecond);
  ASSERT_EQ(live.size(), 1u);
  EXPECT_EQ(compare(live[0].key, numbered_key(2)), 0);
  EXPECT_EQ(fallback_.counters().expired, 1u);
  const std::vector<Partial> flows = drain(400 * kSecond);
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].removal, Removal::expired);
  EXPECT_EQ(flows[0].end_reason, EndReason::idle);
}

// They come out with the next batch, whoever's segments it has.
TEST_F(CpuFallbackTest, FlowsThatWereLetGoAreFinishedWithTheNextBatch) {
  add(1, 0);
  meter_all();
  EXPECT_TRUE(fallback_.list_live(0, 400 * kSecond).empty());
  next_batch(50);
  add(2, 400 * kSecond);
  meter_all();
  ASSERT_EQ(finished_.size(), 1u);
  EXPECT_EQ(compare(finished_[0].key, numbered_key(1)), 0);
}

// A shard gives its partials away when it has a chunk of them; what has less waits until something is idle.
TEST_F(CpuFallbackTest, PartialsAreGivenAwayInChunks) {
  std::vector<std::size_t> given;
  MeteringOptions with_expiry = options();
  with_expiry.expire_every_ns = kSecond;
  CpuFallback fallback(with_expiry, kHashSeed, 1, clock_,
                       [&](const PartialChunk& partials) { given.push_back(partials.size()); });
  std::int64_t time_ns = 0;
  const auto end_flows = [&](std::uint32_t count) {
    next_batch(0);
    DeviceMeter::Result result;
    for (std::uint32_t i = 0; i <= count; ++i) {
      add(1, time_ns += 400 * kSecond);
      result.overflow.push_back(i);
    }
    result.duplicate.resize(result.overflow.size());
    fallback.meter(0, batch_.span(0, batch_.count), result);
  };
  end_flows(300);
  EXPECT_EQ(given, std::vector<std::size_t>{300});
  end_flows(9);  // and the one that lived
  EXPECT_EQ(given.size(), 1u);
  fallback.expire_idle(0, time_ns);
  EXPECT_EQ(given, (std::vector<std::size_t>{300, 10}));
  fallback.expire_idle(0, time_ns + 400 * kSecond);
  EXPECT_EQ(given, (std::vector<std::size_t>{300, 10, 1}));
}

TEST_F(CpuFallbackTest, DrainTellsIdleFlowsByTheEndOfTheTrace) {
  add(1, 0);
  add(2, 300 * kSecond);
  meter_all();
  const std::vector<Partial> flows = drain(500 * kSecond);
  ASSERT_EQ(flows.size(), 2u);
  EXPECT_EQ(flows[0].end_reason, EndReason::idle);
  EXPECT_EQ(flows[1].end_reason, EndReason::forced);
}

}  // namespace
}  // namespace warpmeter::test
