// Batches that are one graph, with padding, give what others give that are asked for call by call.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <random>

#include "kernels/engine_on_host.h"
#include "support/flow_key_maker.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

using Graphs = HostDeviceOptions::Graphs;

constexpr std::uint32_t kGraphBatch = 64, kGraphBatches = 60, kGraphFlows = 12;

// Of all sizes, with copies and holes.
PackedBatch batch_of_any_size(std::mt19937_64& random, std::uint64_t first, std::int64_t& time_ns) {
  const auto draw = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  PackedBatch batch(kGraphBatch, *std::pmr::new_delete_resource());
  batch.reset(first);
  const std::uint32_t count = draw(4) ? 1 + draw(kGraphBatch) : 1 + draw(4);
  for (std::uint32_t i = 0; i < count; ++i) {
    time_ns += draw(20);
    Segment segment = test_segment(time_ns).tcp(1000 + 10 * draw(40), kAck, 10).identified(draw(6));
    segment.frame = i;
    batch.push({hashed_key(numbered_key(draw(kGraphFlows))), segment});
  }
  return batch;
}

struct CameOfBatches {
  std::vector<std::uint8_t> partials, overflow;
  std::size_t leaving = 0;
  std::uint64_t graph_launches = 0;
  std::string remark;
};

template <class T>
void append_bytes(std::vector<std::uint8_t>& to, const T& value) {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof value);
}

void add_result(DeviceMeter::Result& result, CameOfBatches& came) {
  std::sort(result.finished.begin(), result.finished.end(), [](const Partial& a, const Partial& b) {
    return arrival_order(a, b) != 0 ? arrival_order(a, b) < 0 : std::memcmp(&a, &b, sizeof a) < 0;
  });
  came.leaving += result.finished.size();
  for (const Partial& partial : result.finished) append_bytes(came.partials, partial);
  for (std::size_t i = 0; i < result.overflow.size(); ++i) {
    append_bytes(came.overflow, result.overflow[i]);
    append_bytes(came.overflow, result.duplicate[i]);
  }
  EXPECT_TRUE(result.handed_over.empty());
}

CameOfBatches meter_batches(Graphs graphs, std::uint64_t seed) {
  std::atomic<std::uint64_t> launches = 0;
  HostDeviceOptions host{.seed = seed};
  host.graphs = graphs;
  host.graph_launches = &launches;
  DeviceMeterOptions options;
  options.meter.timeouts = {300, 5000};
  options.meter.duplicates.window = 5;
  options.batch = kGraphBatch;
  options.hash_seed = seed;
  options.flows = seed % 2 ? 128 : 40;  // so that a large batch closes the table
  options.hole_units = 1 << 10;         // who finds none would depend on who comes first
  options.piece = 4;
  options.tile = 1;
  CameOfBatches came;
  Engine<HostDevice> engine(std::make_unique<HostDevice>(host), options);
  came.remark = engine.remark();
  std::mt19937_64 random(seed);
  std::uint64_t number = 1;
  std::int64_t time_ns = 0;
  for (std::uint32_t i = 0; i < kGraphBatches; ++i) {
    const PackedBatch batch = batch_of_any_size(random, number, time_ns);
    number += batch.count;
    DeviceMeter::Result result;
    if (i % 7 == 6) engine.expire(time_ns);
    else engine.submit(batch.span(0, batch.count));
    engine.collect(result);
    add_result(result, came);
  }
  DeviceMeter::Result rest;
  while (engine.drain(time_ns, rest.finished)) add_result(rest, came);
  came.graph_launches = launches;
  return came;
}

TEST(EngineGraphs, GiveWhatCallsGive) {
  std::size_t overflow = 0, leaving = 0;
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const CameOfBatches plain = meter_batches(Graphs::none, seed), graphs = meter_batches(Graphs::some, seed);
    EXPECT_EQ(plain.graph_launches, 0u);
    EXPECT_GT(graphs.graph_launches, kGraphBatches / 2) << seed;
    EXPECT_EQ(graphs.partials, plain.partials) << seed;
    EXPECT_EQ(graphs.overflow, plain.overflow) << seed;
    EXPECT_EQ(graphs.remark, "");
    overflow += graphs.overflow.size();
    leaving += graphs.leaving;
  }
  EXPECT_GT(overflow, 0u);
  EXPECT_GT(leaving, 0u);
}

TEST(EngineGraphs, WithoutThemTheReasonIsTold) {
  const CameOfBatches came = meter_batches(Graphs::fail, 1);
  EXPECT_EQ(came.graph_launches, 0u);
  EXPECT_EQ(came.partials, meter_batches(Graphs::none, 1).partials);
  EXPECT_EQ(came.remark, "the GPU is given the work of batches piece by piece, which is slower: no memory for graphs");
}

}  // namespace
}  // namespace warpmeter::test
