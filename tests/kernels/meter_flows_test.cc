// Flows metered by tiles, in batches cut at random, end in the same states and records as packet by packet.
#include "meter_flows.cuh"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
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

void check_same(const MeteredFlows& got, const MeteredFlows& expected) {
  ASSERT_TRUE(same_records(expected.records, got.records));
  ASSERT_EQ(got.latest_ns, expected.latest_ns);
  for (std::size_t flow = 0; flow < got.state.size(); ++flow) {
    ASSERT_EQ(std::memcmp(&got.state[flow], &expected.state[flow], sizeof(FlowState)), 0) << "flow " << flow;
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
    SegmentSum sum;
    for (const MarkedPacket& w : waiting[m.flow]) sum = combine(sum, sum_of_segment(w.packet.segment, w.mark));
    if (fits(metered.state[m.flow], sum, options.timeouts, options.full_counter)) together += group;
    meter_batch_plainly(waiting[m.flow], options, metered);
    waiting[m.flow].clear();
  }
  return static_cast<double>(together) / static_cast<double>(packets.size());
}

// Tile size, full counter.
class MeterFlowsModel : public testing::TestWithParam<std::tuple<unsigned, std::uint32_t>> {
 protected:
  void check(std::uint32_t flows, std::uint64_t unrest, std::uint32_t piece_size, std::size_t largest_batch,
             const Timeouts& timeouts) {
    const auto [tile, full_counter] = GetParam();
    const FlowOptions options{timeouts, full_counter};
    const auto seed = tile + full_counter;
    const Packets packets = FlowTraffic(flows + 1, unrest, seed).packets(largest_batch > 3 ? 2000 : 200);
    check_same(metered(packets, flows, options, {tile, piece_size, largest_batch, seed}),
               metered_plainly(packets, flows, options));
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

std::string name_of(const testing::TestParamInfo<std::tuple<unsigned, std::uint32_t>>& info) {
  return "Tile" + std::to_string(std::get<0>(info.param)) + "Full" + std::to_string(std::get<1>(info.param));
}
INSTANTIATE_TEST_SUITE_P(All, MeterFlowsModel,
                         testing::Combine(testing::ValuesIn(tile_sizes()), testing::Values(1, 5, 40, 100, UINT32_MAX)),
                         name_of);

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

struct CountedKernel {
  MeterFlows kernel;
  std::atomic<std::uint64_t>* ballots;

  template <class Tile>
  void operator()(Tile& tile, std::uint32_t r) const {
    CountingTile<Tile> counting{tile, ballots};
    kernel(counting, r);
  }
};

class MeterFlowsByPieces : public testing::TestWithParam<unsigned> {};

// Of a calm flow, pieces are taken as pieces, as many at a time as the tile has lanes.
TEST_P(MeterFlowsByPieces, TakesAsManyAtATimeAsTheTileHasLanes) {
  constexpr std::uint32_t kPackets = 4096, kFirst = 100, kPiece = 16;
  Packets packets = FlowTraffic(1, UINT64_MAX, 1).packets(kPackets);
  for (std::uint32_t i = 0; i < kPackets; ++i) packets[i].packet.segment.time_ns = i;
  MeteredFlows flows(1);
  HostDevice device({});
  const FlowOptions options{{0, 0}};
  meter_batch_plainly({packets.begin(), packets.begin() + kFirst}, options, flows);
  std::atomic<std::uint64_t> ballots = 0;
  meter_batch(device, {packets.begin() + kFirst, packets.end()}, options, GetParam(), kPiece, flows,
              [&](const MeterFlows& kernel) {
                return CountedKernel{kernel, &ballots};
              });
  EXPECT_EQ(flows.state[0].packets, kPackets);
  constexpr std::uint32_t kPieces = (kPackets - kFirst) / kPiece;
  EXPECT_LE(ballots, kPieces / GetParam() + 20);
}

INSTANTIATE_TEST_SUITE_P(Sizes, MeterFlowsByPieces, testing::ValuesIn(tile_sizes()));

}  // namespace
}  // namespace warpmeter::test
