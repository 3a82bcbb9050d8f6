// Flows metered by tiles, in batches cut at random, end in the same states, holes and records as packet by packet,
// under both methods.
#include "meter_flows.cuh"

#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <tuple>

#include "kernels/device_flows.h"
#include "kernels/flow_traffic.h"
#include "kernels/host_device.h"
#include "kernels/tile_sizes.h"
#include "support/record_maker.h"

namespace warpmeter::test {
namespace {

using Packets = std::vector<MarkedPacket>;

struct Run {
  unsigned tile;
  std::uint32_t piece_size;
  std::size_t largest_batch;
  std::uint64_t seed;
};

// What the metering kernel made of a trace.
MeteredFlows metered(const Packets& packets, std::uint32_t flows, const FlowOptions& options, const Run& run) {
  MeteredFlows metered(flows);
  std::mt19937_64 random(run.seed);
  HostDevice device({.threads = 3, .seed = run.seed, .tiles = 3});
  for (auto begin = packets.begin(); begin < packets.end();) {
    const auto left = static_cast<std::size_t>(packets.end() - begin);
    const auto end = begin + static_cast<std::ptrdiff_t>(std::min(left, 1 + random() % run.largest_batch));
    meter_batch(device, {begin, end}, options, run.tile, run.piece_size, metered);
    begin = end;
  }
  metered.sort_records();
  return metered;
}

MeteredFlows metered_plainly(const Packets& packets, std::uint32_t flows, const FlowOptions& options) {
  MeteredFlows metered(flows);
  meter_batch_plainly(packets, options, metered);
  metered.sort_records();
  return metered;
}

void check_same(const MeteredFlows& got, const MeteredFlows& expected, Method method) {
  ASSERT_TRUE(same_leaving(expected, got));
  ASSERT_TRUE(got.handed_over.empty());
  ASSERT_EQ(got.latest_ns, expected.latest_ns);
  for (std::size_t flow = 0; flow < got.state.size(); ++flow) {
    ASSERT_TRUE(same_state(got.state[flow], expected.state[flow], method)) << "flow " << flow;
    ASSERT_TRUE(same_holes(got.holes[flow], expected.holes[flow])) << "flow " << flow;
  }
}

// How many of the packets a sum can take, when every flow's come in groups of `group`: what the kernel bets on.
double share_together(const Packets& packets, std::uint32_t flows, const FlowOptions& options, std::size_t group) {
  MeteredFlows metered(flows);
  std::vector<Packets> waiting(flows);
  std::size_t together = 0;
  for (const MarkedPacket& m : packets) {
    if (m.flow == flows) continue;
    waiting[m.flow].push_back(m);
    if (waiting[m.flow].size() < group) continue;
    with_method(options.method, [&](auto method) {
      SegmentSum<NumbersOf<method>> sum;
      for (const MarkedPacket& w : waiting[m.flow]) {
        sum = combine(sum, sum_of_segment<NumbersOf<method>>(w.packet.segment, w.mark));
      }
      if (fits(metered.state[m.flow], sum, options.timeouts, options.full_counter)) together += group;
    });
    meter_batch_plainly(waiting[m.flow], options, metered);
    waiting[m.flow].clear();
  }
  return static_cast<double>(together) / static_cast<double>(packets.size());
}

// What the two methods call calm is not the same.
std::uint64_t disorder_of(Method method) { return method == Method::exact ? 40 : 5; }

// Method, lanes.
class MeterFlowsModel : public testing::TestWithParam<std::tuple<Method, unsigned>> {
 protected:
  void check(std::uint32_t flows, std::uint64_t unrest, std::uint32_t piece_size, std::size_t largest_batch,
             const Timeouts& timeouts, std::uint64_t disorder = disorder_of(std::get<0>(GetParam()))) {
    const auto [method, tile] = GetParam();
    for (const std::uint32_t full_counter : {1u, 5u, 40u, 100u, UINT32_MAX}) {
      if (method == Method::exact && (full_counter == 1 || full_counter == 40)) continue;
      SCOPED_TRACE(full_counter);
      const FlowOptions options{timeouts, full_counter, method};
      const std::uint64_t seed = tile + full_counter;
      const std::size_t count = largest_batch > 3 ? 2000 : 200;
      const Packets packets = FlowTraffic(flows + 1, unrest, seed, disorder).packets(count);
      check_same(metered(packets, flows, options, {tile, piece_size, largest_batch, seed}),
                 metered_plainly(packets, flows, options), method);
    }
  }
};

TEST_P(MeterFlowsModel, OfManyFlows) { check(12, 150, 0, 300, {1000, 4000}); }
TEST_P(MeterFlowsModel, OfOneFlow) { check(1, 150, 0, 300, {1000, 4000}); }
TEST_P(MeterFlowsModel, WithSmallPieces) { check(3, 150, 2, 300, {1000, 4000}); }
TEST_P(MeterFlowsModel, WithPieces) { check(2, 300, 16, 900, {1000, 4000}); }
TEST_P(MeterFlowsModel, WithoutTimeouts) { check(3, 100, 8, 300, {0, 0}); }
TEST_P(MeterFlowsModel, WithShortTimeouts) { check(3, 50, 4, 300, {40, 200}); }
TEST_P(MeterFlowsModel, InWildTraffic) { check(3, 3, 4, 300, {1000, 4000}); }
TEST_P(MeterFlowsModel, InTinyBatches) { check(3, 150, 2, 3, {1000, 4000}); }
TEST_P(MeterFlowsModel, OfCalmTraffic) { check(2, 300, 16, 900, {1000, 4000}, 1000); }
TEST_P(MeterFlowsModel, OfDisorderlyTraffic) { check(3, 150, 4, 300, {0, 0}, 2); }

std::string method_and_tile(const testing::TestParamInfo<std::tuple<Method, unsigned>>& info) {
  const auto [method, tile] = info.param;
  return (method == Method::exact ? "Exact" : "FiveTuple") + std::to_string(tile);
}

INSTANTIATE_TEST_SUITE_P(All, MeterFlowsModel,
                         testing::Combine(testing::Values(Method::five_tuple, Method::exact),
                                          testing::ValuesIn(tile_sizes())),
                         method_and_tile);

// The traffic of the tests above is worth its name: it goes both ways, and mostly together.
TEST(MeterFlows, MostOfTheTrafficIsTakenTogether) {
  const auto share = [](std::uint64_t unrest, std::size_t group, std::uint32_t full_counter = UINT32_MAX) {
    const Packets packets = FlowTraffic(4, unrest, 1).packets(20'000);
    return share_together(packets, 3, {{1000, 4000}, full_counter}, group);
  };
  for (const std::size_t group : {2u, 4u, 8u}) {
    EXPECT_GT(share(150, group), 0.5) << group;
    EXPECT_LT(share(150, group), 0.75) << group;  // a fourth has no flow
    EXPECT_GT(share(150, group, 100), 0.4) << group;
    EXPECT_GT(share(150, group, 40), 0.3) << group;
  }
  EXPECT_GT(share(150, 32), 0.3);
  EXPECT_LT(share(3, 8), 0.2);
}

// Under method exact only what is in order can be taken together.
TEST(MeterFlows, TrafficInOrderIsTakenTogetherExactly) {
  const auto share = [](std::uint64_t disorder, std::size_t group) {
    const Packets packets = FlowTraffic(4, 150, 1, disorder).packets(20'000);
    return share_together(packets, 3, {.method = Method::exact}, group);
  };
  for (const std::size_t group : {2u, 4u, 8u}) {
    EXPECT_GT(share(40, group), 0.4) << group;
    EXPECT_LT(share(40, group), 0.75) << group;
    EXPECT_LT(share(5, group), share(40, group)) << group;
  }
  EXPECT_GT(share(1000, 32), 0.3);
  EXPECT_LT(share(2, 8), 0.1);
}

// Tells how often a tile of a kernel called ballot: once for every piece or tile full of segments that it takes.
template <class Tile>
struct CountingTile {
  static constexpr unsigned kSize = Tile::kSize;
  unsigned rank() const { return tile.rank(); }
  std::uint32_t ballot(bool said) {
    if (tile.rank() == 0) ++*ballots;
    return tile.ballot(said);
  }
  template <class T>
  T shfl(T value, unsigned lane) {
    return tile.shfl(value, lane);
  }
  void sync() { tile.sync(); }

  Tile& tile;
  std::atomic<std::uint64_t>* ballots;
};

template <class Kernel>
struct CountedKernel {
  Kernel kernel;
  std::atomic<std::uint64_t>* ballots;

  template <class Tile>
  void operator()(Tile& tile, std::uint32_t r) const {
    CountingTile<Tile> counting{tile, ballots};
    kernel(counting, r);
  }
};

class MeterFlowsByPieces : public testing::TestWithParam<std::tuple<Method, unsigned>> {};

// Of a calm flow, pieces are taken as pieces, as many at a time as the tile has lanes, wherever the flow's run begins.
TEST_P(MeterFlowsByPieces, TakesAsManyAtATimeAsTheTileHasLanes) {
  constexpr std::uint32_t kPackets = 4096, kFirst = 100, kPiece = 16;
  const auto [method, tile] = GetParam();
  for (const std::uint32_t of_other_flow : {0u, 5u}) {
    const std::uint64_t disorder = method == Method::exact ? 1 << 30 : 5;
    Packets packets = FlowTraffic(1, UINT64_MAX, 1, disorder).packets(kPackets);
    for (std::uint32_t i = 0; i < kPackets; ++i) {
      packets[i].packet.segment.time_ns = i;
      packets[i].flow = i < kFirst + of_other_flow && i >= kFirst ? 0 : 1;
    }
    MeteredFlows flows(2);
    HostDevice device({});
    const FlowOptions options{{0, 0}, UINT32_MAX, method};
    meter_batch_plainly({packets.begin(), packets.begin() + kFirst}, options, flows);
    ASSERT_TRUE(flows.holes[1].empty());  // the device has none of those
    std::atomic<std::uint64_t> ballots = 0;
    meter_batch(device, {packets.begin() + kFirst, packets.end()}, options, tile, kPiece, flows,
                [&](const auto& kernel) {
                  return CountedKernel<std::decay_t<decltype(kernel)>>{kernel, &ballots};
                });
    EXPECT_EQ(flows.state[1].packets, kPackets - of_other_flow);
    constexpr std::uint32_t kPieces = (kPackets - kFirst) / kPiece;
    EXPECT_LE(ballots, kPieces / tile + 2 * kPiece + 10);
  }
}

// All records of a trace, those of the flows that lived to its end and spilled counters included.
std::vector<Partial> records_of(MeteredFlows flows, const FlowOptions& options) {
  HostDevice device({});
  drain_flows(device, flows, 0, static_cast<std::uint32_t>(flows.state.size()), flows.latest_ns, options);
  for (Partial& record : flows.records) {
    for (const Partial& spilled : flows.spilled) {
      if (spilled.arrival == record.arrival && spilled.key == record.key) add_counters(record, spilled);
    }
  }
  flows.sort_records();
  return flows.records;
}

TEST_P(MeterFlowsByPieces, SpilledCountersAreNotLost) {
  constexpr std::uint32_t kCrowd = 3;
  const auto [method, tile] = GetParam();
  const Packets packets = FlowTraffic(kCrowd + 1, 100, 1).packets(3000);
  const auto records_with = [&](std::uint32_t full_counter) {
    const FlowOptions options{.full_counter = full_counter, .method = method};
    return records_of(metered(packets, kCrowd, options, {tile, 8, 400, full_counter}), options);
  };
  const auto expected = records_with(UINT32_MAX);
  EXPECT_GT(expected.size(), 10u);
  for (const std::uint32_t full_counter : {1u, 5u, 40u, 100u}) {
    EXPECT_TRUE(same_records(expected, records_with(full_counter))) << full_counter;
  }
}

INSTANTIATE_TEST_SUITE_P(All, MeterFlowsByPieces,
                         testing::Combine(testing::Values(Method::five_tuple, Method::exact),
                                          testing::ValuesIn(tile_sizes())),
                         method_and_tile);

}  // namespace
}  // namespace warpmeter::test
