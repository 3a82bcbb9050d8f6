// Segments get their flow ids and their marks by one kernel, whatever the order in which their identities were sorted.
#include "mark_segments.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "kernels/device_flow_table.h"
#include "support/flow_key_maker.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kMarkedBefore = 2, kMarkedSegments = 6, kMarkedIds = 10;

// Of two flows in turn; 5 is a copy of 3, which is of another packet than all others.
std::vector<Packet> packets_of_two_flows() {
  std::vector<Packet> packets(kMarkedBefore + kMarkedSegments);
  for (std::uint32_t p = 0; p < packets.size(); ++p) {
    packets[p].key = numbered_key(p % 2);
    packets[p].hash = p % 2;
    packets[p].segment = test_segment(0).identified(p == 7 ? 5 : p);
    packets[p].number = p + 1;
  }
  return packets;
}

BatchCounts marked_counts(std::uint32_t segments, std::uint32_t before) {
  BatchCounts counts{};
  counts.segments = segments;
  counts.before = before;
  return counts;
}

TEST(MarkSegments, SettlesFlowsAndFindsCopies) {
  const std::vector<Packet> packets = packets_of_two_flows();
  DeviceBatch batch(packets, kMarkedBefore, packets.size(), kMarkedBefore, kMarkedIds);
  DeviceFlowTable table(64, 64, kMarkedIds);
  table.room.open = 1;
  HostDevice device({});
  const BatchView view = batch.view();
  const FlowClaims claims{batch.slot_of.data(), batch.new_flow.data()};
  const BatchCounts counts = marked_counts(kMarkedSegments, kMarkedBefore);
  device.launch(ClaimFlows{view, table.ref(), claims}, kMarkedSegments);
  const std::vector<std::uint32_t> hash = {1, 2, 3, 4, 6, 7, 9, 9}, position = {6, 4, 3, 1, 0, 2, 5, 7};
  device.launch(
      MarkSegments{{view, table.ref(), claims}, {view, hash.data(), position.data(), {}}, {nullptr, nullptr}, &counts},
      kMarkedBefore + kMarkedSegments);
  for (std::uint32_t i = 0; i < kMarkedSegments; ++i) {
    EXPECT_EQ(batch.flow[i], batch.flow[i % 2]) << i;
    EXPECT_TRUE(table.state(batch.flow[i]).key == numbered_key(i % 2)) << i;
    EXPECT_EQ(batch.mark[i], i == 5 ? kDuplicate : 0) << i;
  }
  EXPECT_EQ(table.ids_given(), 2u);
  DeviceBatch again(packets, kMarkedBefore, packets.size(), 0, kMarkedIds);
  table.find_flows(device, again, false, 1);  // both are known by now
  EXPECT_EQ(again.flow, batch.flow);
}

TEST(MarkSegments, ListsThoseThatFindNoRoom) {
  const std::vector<Packet> packets = packets_of_two_flows();
  DeviceBatch batch(packets, kMarkedBefore, packets.size(), kMarkedBefore, kMarkedIds);
  batch.flow = {kMarkedIds, 3, kMarkedIds, kMarkedIds, 0, kMarkedIds};
  batch.mark.assign(kMarkedSegments, 0);
  DeviceFlowTable table(64, 64, kMarkedIds);
  const BatchView view = batch.view();
  const std::vector<std::uint32_t> hash = {1, 2, 3, 4, 6, 7, 9, 9}, position = {6, 4, 3, 1, 0, 2, 5, 7};
  std::vector<OverflowSegment> overflow(4, OverflowSegment(77, true));
  BatchCounts counts = marked_counts(kMarkedSegments, kMarkedBefore);
  HostDevice({}).launch(MarkSegments{{view, table.ref(), {batch.slot_of.data(), batch.new_flow.data()}},
                                     {view, hash.data(), position.data(), {}},
                                     {overflow.data(), &counts.overflow},
                                     &counts},
                        kMarkedBefore + kMarkedSegments);
  ASSERT_EQ(counts.overflow, 4u);
  std::sort(overflow.begin(), overflow.end());
  for (std::size_t k = 0; k < overflow.size(); ++k) {
    EXPECT_EQ(overflow[k].position(), (std::vector<std::uint32_t>{0, 2, 3, 5})[k]);
    EXPECT_EQ(overflow[k].is_duplicate(), k == 3);
  }
}

// How many there are it takes from the device: what it was launched with is true of larger batches.
TEST(MarkSegments, PassesOverPadding) {
  const std::vector<Packet> packets = packets_of_two_flows();
  DeviceBatch batch(packets, 0, packets.size(), 0, kMarkedIds);
  batch.flow.assign(packets.size(), kMarkedIds);
  batch.mark.assign(packets.size(), 0);
  DeviceFlowTable table(64, 64, kMarkedIds);
  BatchView view = batch.view();
  view.before = 77;
  const std::vector<std::uint32_t> hash(8, 1), position = {0, 1, 2, 3, 4, 5, 6, 7};
  std::vector<OverflowSegment> overflow(5, OverflowSegment(77, true));
  BatchCounts counts = marked_counts(5, 1);
  view.key += 1, view.hash += 1, view.segment += 1, view.number += 1;
  HostDevice({}).launch(MarkSegments{{view, table.ref(), {batch.slot_of.data(), batch.new_flow.data()}},
                                     {view, hash.data(), position.data(), {}},
                                     {overflow.data(), &counts.overflow},
                                     &counts},
                        8);
  EXPECT_EQ(counts.overflow, 5u);
}

}  // namespace
}  // namespace warpmeter::test
