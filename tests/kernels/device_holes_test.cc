// The holes of flows on the device, segment by segment, are those of a plain list; where there is no room for more, the
// flow is refused and nothing has changed.
#include "device_holes.cuh"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "kernels/guarded_hole_pool.h"
#include "kernels/plain_holes.h"
#include "support/count_segment.h"
#include "support/segment_maker.h"

namespace warpmeter::test {
namespace {

// A flow that began with one byte at `sequence`.
FlowState flow_from(std::uint32_t sequence) {
  FlowState f{};
  std::vector<Hole> none;
  PlainHoles holes(f, none);
  StrayState stray{};
  start_flow(f, {0, sequence, false}, 1);
  count_tcp_segment(f, test_segment(0).tcp(sequence, kAck, 1), holes, stray);
  return f;
}

bool make_room_for(DeviceHoles& holes, const FlowState& f, const Segment& s) {
  return holes.make_room_for(s, judge_numbers(Verdict{}, f, s, false, holes));
}

// One flow with its holes on the device, and once more in a plain list.
class TwoFlows {
 public:
  TwoFlows(HoleMemory& memory, std::uint32_t first_sequence)
      : memory_(memory), flow_(flow_from(first_sequence)), plain_(flow_) {}

  // False: refused.
  bool segment(const Segment& s) {
    const FlowState before = flow_;
    const std::vector<Hole> holes_before = holes();
    const HolePoolRef pool = memory_.ref();
    DeviceHoles holes_on_device(pool, flow_);
    const bool confirmed = flow_.bits & kCandidate && confirms(flow_, s, false, stray_);
    if (!(confirmed ? holes_on_device.make_room_for_holes(2) : make_room_for(holes_on_device, flow_, s))) {
      EXPECT_EQ(std::memcmp(&before, &flow_, sizeof flow_), 0);
      EXPECT_TRUE(same_holes(holes_before, holes()));
      return false;
    }
    EXPECT_TRUE(same_holes(holes_before, holes()));
    PlainHoles holes_in_list(plain_, list_);
    count_tcp_segment(flow_, s, holes_on_device, stray_);
    holes_on_device.settle();
    count_tcp_segment(plain_, s, holes_in_list, stray_in_list_);
    return true;
  }

  void release() {
    DeviceHoles(memory_.ref(), flow_).release();
    plain_.holes = 0;
    list_.clear();
    EXPECT_EQ(flow_.holes, 0u);
  }

  void check() {
    ASSERT_TRUE(same_holes(holes(), list_));
    FlowState f = flow_;
    f.holes = f.holes != 0;
    ASSERT_EQ(std::memcmp(&f, &plain_, sizeof f), 0);
    const HolePoolRef pool = memory_.ref();
    ASSERT_EQ(DeviceHoles(pool, flow_).total(), PlainHoles(plain_, list_).total());
  }

  std::vector<Hole> holes() { return flow_.holes ? memory_.holes_at(flow_.holes - 1) : std::vector<Hole>(); }
  const FlowState& flow() const { return flow_; }
  std::uint32_t size_class() { return memory_.ref().block(flow_.holes - 1)->size_class; }

 private:
  HoleMemory& memory_;
  FlowState flow_, plain_;
  StrayState stray_{}, stray_in_list_{};
  std::vector<Hole> list_;
};

// Of 2 bytes each, 10 apart: a hole a segment.
Segment hole_making(std::uint32_t i) { return test_segment(0).tcp(10 * (i + 1), kAck, 2); }

TEST(DeviceHoles, GrowThroughAllClassesToTheLargest) {
  HoleMemory memory(1024);
  TwoFlows flow(memory, 0);
  for (std::uint32_t i = 0; i < 1023; ++i) {
    ASSERT_TRUE(flow.segment(hole_making(i))) << i;
    ASSERT_EQ(flow.holes().size(), i + 1);
    ASSERT_EQ(flow.size_class(), i < 3 ? 0u : i < 15 ? 1u : i < 63 ? 2u : i < 255 ? 3u : 4u);
    if (i % 50 == 0) flow.check();
  }
  flow.check();
}

// With as many holes as the largest block has room for, whatever adds one is refused, and everything else is not.
TEST(DeviceHoles, BeyondTheLargestBlockAreRefused) {
  HoleMemory memory(1024);
  TwoFlows flow(memory, 0);
  for (std::uint32_t i = 0; i < 1023; ++i) ASSERT_TRUE(flow.segment(hole_making(i)));
  EXPECT_FALSE(flow.segment(hole_making(1023)));
  EXPECT_FALSE(flow.segment(test_segment(0).tcp(0u - 50, kAck, 2)));
  EXPECT_FALSE(flow.segment(test_segment(0).tcp(105, kAck, 1)));  // in the middle of a hole
  EXPECT_FALSE(flow.segment(test_segment(0).tcp(0u - 50, kSyn)));
  EXPECT_TRUE(flow.segment(test_segment(0).tcp(10'232, kAck, 20)));  // in order
  EXPECT_TRUE(flow.segment(test_segment(0).tcp(100, kAck, 2)));      // seen before
  EXPECT_TRUE(flow.segment(test_segment(0).tcp(20'000, kRst)));
  EXPECT_EQ(flow.holes().size(), 1023u);
  EXPECT_TRUE(flow.segment(test_segment(0).tcp(0u - 2, kAck, 2)));  // touches the lowest
  EXPECT_TRUE(flow.segment(test_segment(0).tcp(102, kAck, 3)));     // the lower part of a hole
  EXPECT_TRUE(flow.segment(test_segment(0).tcp(1, kAck, 9)));       // a whole hole
  EXPECT_EQ(flow.holes().size(), 1022u);
  EXPECT_TRUE(flow.segment(test_segment(0).tcp(107, kAck, 1)));  // and room for one more
  EXPECT_EQ(flow.holes().size(), 1023u);
  EXPECT_FALSE(flow.segment(test_segment(0).tcp(215, kAck, 1)));
  flow.check();
}

// No class that is asked for is there, from the first on.
TEST(DeviceHoles, WithoutMemoryAreRefusedAtEveryClass) {
  const std::uint32_t most[] = {3, 15, 63, 255};
  for (std::uint32_t c = 0; c < 4; ++c) {
    HoleMemory memory(1024);
    std::vector<std::uint32_t> places;  // one block of each class up to this one
    for (std::uint32_t smaller = 0; smaller <= c; ++smaller) places.push_back(memory.ref().take(smaller));
    for (const std::uint32_t place : places) memory.ref().give_back(place);
    memory.ref().recycle();
    memory.counters.carved = 1024;
    TwoFlows flow(memory, 0);
    for (std::uint32_t i = 0; i < most[c]; ++i) ASSERT_TRUE(flow.segment(hole_making(i))) << "class " << c << ", " << i;
    EXPECT_FALSE(flow.segment(hole_making(most[c])));
    EXPECT_FALSE(flow.segment(hole_making(most[c])));
    EXPECT_EQ(flow.holes().size(), most[c]);
    flow.check();
  }
  HoleMemory memory(4);
  memory.counters.carved = 4;
  TwoFlows flow(memory, 0);
  EXPECT_FALSE(flow.segment(hole_making(0)));
  EXPECT_FALSE(flow.segment(test_segment(0).tcp(0u - 50, kAck, 2)));
  EXPECT_TRUE(flow.segment(test_segment(0).tcp(1, kAck, 100)));
  EXPECT_TRUE(flow.segment(test_segment(0).tcp(0, kAck, 1)));
  EXPECT_EQ(flow.flow().holes, 0u);
}

TEST(DeviceHoles, GiveTheirBlockBackWhenTheLastOneCloses) {
  HoleMemory memory(1);
  for (int round = 0; round < 5; ++round) {
    TwoFlows flow(memory, 0);
    ASSERT_TRUE(flow.segment(hole_making(0)));
    ASSERT_TRUE(flow.segment(hole_making(1)));
    TwoFlows other(memory, 0);
    ASSERT_FALSE(other.segment(hole_making(0)));
    ASSERT_TRUE(flow.segment(test_segment(0).tcp(1, kAck, 9)));
    ASSERT_NE(flow.flow().holes, 0u);
    ASSERT_TRUE(flow.segment(test_segment(0).tcp(12, kAck, 8)));
    ASSERT_EQ(flow.flow().holes, 0u);
    ASSERT_FALSE(other.segment(hole_making(0)));  // in this batch
    memory.ref().recycle();
  }
}

TEST(DeviceHoles, WhatNeedsNoHolesNeedsNoMemory) {
  HoleMemory memory(1);
  memory.counters.carved = 1;
  FlowState fresh{};
  start_flow(fresh, {0, 0, false}, 1);
  const HolePoolRef pool = memory.ref();
  DeviceHoles holes(pool, fresh);
  EXPECT_TRUE(make_room_for(holes, fresh, test_segment(0).tcp(500, kAck, 5)));  // its first TCP segment
  EXPECT_EQ(holes.total(), 0);
  TwoFlows flow(memory, 0);
  EXPECT_TRUE(flow.segment(test_segment(0).tcp(1000, kRst)));
  EXPECT_TRUE(flow.segment(test_segment(0).tcp(0u - 5, kAck, 5)));  // just below the lowest
  EXPECT_TRUE(flow.segment(test_segment(0).tcp(0u - 10, kAck, 500)));
  EXPECT_EQ(flow.flow().holes, 0u);
}

// Around a place that wanders, so that there are holes above, below and in the middle.
Segment random_segment(std::mt19937_64& random, const FlowState& f, std::uint32_t reach) {
  const auto draw = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto highest = static_cast<std::uint32_t>(f.highest), lowest = static_cast<std::uint32_t>(f.lowest);
  const std::uint32_t length = draw(4) ? draw(20) : draw(3) ? 0 : draw(2 * reach);
  std::uint32_t sequence = highest;
  switch (draw(8)) {
    case 0: break;
    case 1: sequence = lowest - length; break;
    case 2: sequence = lowest - length - draw(40); break;
    case 3:
    case 4: sequence = highest + draw(60); break;
    default: sequence = lowest + draw(highest - lowest + 1); break;
  }
  std::uint8_t flags = kAck;
  if (draw(40) == 0) flags = kSyn;
  if (draw(40) == 0) flags |= kFin;
  if (draw(40) == 0) flags |= kRst;
  return test_segment(0).tcp(sequence, flags, length);
}

// Several flows of one memory, each against its list.
void check_model(std::uint32_t units, std::uint32_t reach, std::uint64_t seed, std::uint64_t& refused,
                 std::size_t& most) {
  std::mt19937_64 random(seed);
  HoleMemory memory(units, 0u - 20);
  std::vector<TwoFlows> flows;
  for (std::uint32_t i = 0; i < 4; ++i) flows.emplace_back(memory, i % 2 ? 0u - 300 : 1u << 31);
  for (int i = 0; i < 3000; ++i) {
    TwoFlows& flow = flows[random() % (random() % 3 ? 1 : flows.size())];
    if (!flow.segment(random_segment(random, flow.flow(), reach)) && ++refused % 20 == 0) flow.release();
    ASSERT_NO_FATAL_FAILURE(flow.check()) << "step " << i << ", seed " << seed;
    most = std::max(most, flow.holes().size());
    if (random() % 500 == 0) flow.release();
    if (random() % 10 == 0) memory.ref().recycle();
  }
}

TEST(DeviceHoles, AgreeWithThePlainList) {
  std::uint64_t refused = 0;
  std::size_t most = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) check_model(4096, 200, seed, refused, most);
  EXPECT_EQ(refused, 0u);
  EXPECT_GT(most, 63u);
}

TEST(DeviceHoles, AgreeWithThePlainListWhereMemoryIsShort) {
  for (const std::uint32_t units : {1u, 4u, 16u, 64u}) {
    std::uint64_t refused = 0;
    std::size_t most = 0;
    for (std::uint64_t seed = 0; seed < 3; ++seed) check_model(units, 60, seed, refused, most);
    EXPECT_GT(refused, 10u) << units;
    EXPECT_LE(most, std::size_t{4} * units);
  }
}

}  // namespace
}  // namespace warpmeter::test
