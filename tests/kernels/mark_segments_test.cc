// Copies are marked, segments for the CPU listed and runs found by one kernel, whatever the order in which identities
// were sorted.
#include "mark_segments.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/device_batch.h"
#include "kernels/tile_sizes.h"
#include "kernels/tiled_kernels.h"
#include "support/flow_key_maker.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kMarkedBefore = 2, kMarkedSegments = 6, kMarkedElements = 8, kMarkedIds = 10;

// Of two flows in turn; the last is a copy of the sixth, those before the batch counted.
std::vector<Packet> packets_of_two_flows() {
  std::vector<Packet> packets(kMarkedElements);
  for (std::uint32_t p = 0; p < kMarkedElements; ++p) {
    packets[p].key = numbered_key(p % 2);
    packets[p].hash = p % 2;
    packets[p].segment = test_segment(0).identified(p == 7 ? 5 : p);
    packets[p].number = p + 1;
  }
  return packets;
}

// The kernel on a batch whose flows are known.
struct MarkedBatch {
  explicit MarkedBatch(std::uint32_t segments) {
    counts.segments = segments;
    counts.before = kMarkedBefore;
  }

  void mark(const BatchView& view, const std::vector<std::uint32_t>& sorted_flow, unsigned tile) {
    const FindDuplicates copies{view, hash.data(), position.data(), {}};
    const ListRuns runs{sorted_flow.data(), view.count, kMarkedIds, run.data(), &counts.runs};
    HostDevice({}).launch(MarkSegments{copies, kMarkedElements, {overflow.data(), &counts.overflow}, runs, &counts},
                          (kMarkedElements + tile - 1) / tile, tile);
    std::sort(overflow.begin(), overflow.begin() + counts.overflow);
    std::sort(run.begin(), run.begin() + counts.runs);
  }

  const std::vector<std::uint32_t> hash = {1, 2, 3, 4, 6, 7, 9, 9}, position = {6, 4, 3, 1, 0, 2, 5, 7};
  std::vector<OverflowSegment> overflow = std::vector<OverflowSegment>(6, OverflowSegment(77, true));
  std::vector<std::uint32_t> run = std::vector<std::uint32_t>(6, 77);
  BatchCounts counts{};
};

TEST(MarkSegments, FindsCopiesAndRuns) {
  for (const unsigned tile : tile_sizes()) {
    const std::vector<Packet> packets = packets_of_two_flows();
    DeviceBatch batch(packets, kMarkedBefore, packets.size(), kMarkedBefore, kMarkedIds);
    batch.flow = {3, 4, 3, 4, 3, 4};
    batch.mark.assign(kMarkedSegments, 0);
    MarkedBatch marked(kMarkedSegments);
    marked.mark(batch.view(), {3, 3, 3, 4, 4, 4}, tile);
    EXPECT_EQ(batch.mark, (std::vector<std::uint8_t>{0, 0, 0, 0, 0, kDuplicate}));
    EXPECT_EQ(marked.counts.overflow, 0u);
    ASSERT_EQ(marked.counts.runs, 2u);
    EXPECT_EQ(marked.run[0], 0u);
    EXPECT_EQ(marked.run[1], 3u);
  }
}

TEST(MarkSegments, ListsThoseThatFoundNoRoom) {
  for (const unsigned tile : tile_sizes()) {
    const std::vector<Packet> packets = packets_of_two_flows();
    DeviceBatch batch(packets, kMarkedBefore, packets.size(), kMarkedBefore, kMarkedIds);
    batch.flow = {kMarkedIds, 3, kMarkedIds, kMarkedIds, 0, kMarkedIds};
    batch.mark.assign(kMarkedSegments, 0);
    MarkedBatch marked(kMarkedSegments);
    marked.mark(batch.view(), {0, 3, kMarkedIds, kMarkedIds, kMarkedIds, kMarkedIds}, tile);
    ASSERT_EQ(marked.counts.overflow, 4u);
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_EQ(marked.overflow[k].position(), (std::vector<std::uint32_t>{0, 2, 3, 5})[k]);
      EXPECT_EQ(marked.overflow[k].is_duplicate(), k == 3);
    }
    EXPECT_EQ(marked.counts.runs, 2u);
  }
}

// How many there are, and how many before them, it takes from the device: what it was launched with is true of others.
TEST(MarkSegments, PassesOverPadding) {
  const std::vector<Packet> packets = packets_of_two_flows();
  DeviceBatch batch(packets, kMarkedBefore, packets.size(), kMarkedBefore, kMarkedIds);
  batch.flow.assign(kMarkedSegments, kMarkedIds);
  batch.mark.assign(kMarkedSegments, 0);
  BatchView view = batch.view();
  view.before = 77;
  MarkedBatch marked(5);
  marked.mark(view, batch.flow, 1);
  EXPECT_EQ(marked.counts.overflow, 5u);
  EXPECT_EQ(batch.mark, std::vector<std::uint8_t>(kMarkedSegments, 0));  // the copy would be padding
  EXPECT_EQ(marked.counts.runs, 0u);
}

}  // namespace
}  // namespace warpmeter::test
