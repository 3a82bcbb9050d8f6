// What fits into device memory: never more than there is, tables at their loads, and an error that says what is needed;
// under method five-tuple, and further down under method exact.
#include "device_plan.h"

#include <gtest/gtest.h>

#include <bit>

#include "core/flow_state.h"
#include "segment_table.cuh"
#include "support/thrown_text.h"

namespace warpmeter::test {
namespace {

constexpr std::uint64_t kMiB = 1 << 20, kGiB = 1 << 30;

DeviceMeterOptions plan_options(std::uint32_t batch = 100'000, Method method = Method::five_tuple) {
  DeviceMeterOptions options;
  options.meter.method = method;
  options.batch = batch;
  return options;
}

// The least memory that a plan wants, by trying.
std::uint64_t least_memory(const DeviceMeterOptions& options) {
  std::uint64_t too_little = 0, enough = 1024 * kGiB;
  while (enough - too_little > 1) {
    const std::uint64_t middle = (too_little + enough) / 2;
    const bool fits = thrown_text([&] { plan_device(options, middle); }).empty();
    (fits ? enough : too_little) = middle;
  }
  return enough;
}

// What holds for every plan.
void check_plan(const DevicePlan& plan, const DeviceMeterOptions& options, std::uint64_t memory) {
  EXPECT_LE(plan.bytes, memory);
  EXPECT_GE(plan.before, options.meter.duplicates.window);
  EXPECT_TRUE(std::has_single_bit(plan.segment_slots));
  EXPECT_TRUE(std::has_single_bit(plan.flow_slots));
  EXPECT_LE(static_cast<double>(plan.block), static_cast<double>(plan.segment_slots) * kSegmentLoad);
  EXPECT_GE(plan.block, 1u);
  EXPECT_LE(static_cast<double>(plan.flows), static_cast<double>(plan.flow_slots) * 0.6);
  EXPECT_LT(plan.segment_slots, SegmentTableRef::kNotFound);  // slots have 32 bits
  EXPECT_LE(plan.flows, 1u << 30);                            // flow ids fewer, a bit is spoken for
  // The tables alone, and what cannot be had for less.
  const std::uint64_t slot = sizeof(SegmentSlot) + (options.meter.five_tuple.gap_ns ? sizeof(std::int64_t) : 0);
  EXPECT_GE(plan.bytes, 2 * plan.segment_slots * slot + plan.flows * sizeof(FlowState));
}

TEST(DevicePlan, StaysWithinTheMemory) {
  for (std::uint64_t memory = 512 * kMiB; memory <= 1024 * kGiB; memory += memory / 3) {
    for (const std::int64_t gap_ns : {0, 1000}) {
      DeviceMeterOptions options = plan_options();
      options.meter.five_tuple.gap_ns = gap_ns;
      SCOPED_TRACE(memory);
      check_plan(plan_device(options, memory), options, memory);
    }
  }
}

TEST(DevicePlan, UsesTheMemory) {
  for (const std::uint64_t memory : {2 * kGiB, 5 * kGiB, 80 * kGiB}) {
    const DevicePlan plan = plan_device(plan_options(), memory);
    EXPECT_GT(plan.bytes, memory - 1000);
    EXPECT_GT(plan.segment_slots * 32, memory / 8);
  }
}

TEST(DevicePlan, MoreMemoryIsNeverLess) {
  DevicePlan last{};
  for (std::uint64_t memory = kGiB; memory < 200 * kGiB; memory += memory / 10) {
    const DevicePlan plan = plan_device(plan_options(), memory);
    EXPECT_GE(plan.block, last.block);
    EXPECT_GE(plan.segment_slots, last.segment_slots);
    last = plan;
  }
  EXPECT_GT(last.block, 1'000'000'000u);
}

TEST(DevicePlan, GapTakesRoomInTheSegmentTables) {
  DeviceMeterOptions options = plan_options();
  const DevicePlan without = plan_device(options, 4 * kGiB);
  options.meter.five_tuple.gap_ns = 1;
  options.meter.five_tuple.block = without.block;
  const DevicePlan with = plan_device(options, 4 * kGiB);
  EXPECT_EQ(with.segment_slots, without.segment_slots);
  EXPECT_EQ(with.block, without.block);
  EXPECT_NEAR(static_cast<double>(without.flows - with.flows), static_cast<double>(with.segment_slots) * 16 / 271, 2);
}

TEST(DevicePlan, BlockIsTheOneAskedFor) {
  for (const std::uint64_t block : {1u, 38u, 39u, 77u, 1000u, 10'000'000u}) {
    DeviceMeterOptions options = plan_options();
    options.meter.five_tuple.block = block;
    const DevicePlan plan = plan_device(options, 4 * kGiB);
    EXPECT_EQ(plan.block, block);
    check_plan(plan, options, 4 * kGiB);
    // And the table is no larger than it has to be.
    const double half = static_cast<double>(plan.segment_slots / 2) * kSegmentLoad;
    EXPECT_TRUE(plan.segment_slots == 64 || half < static_cast<double>(block));
  }
}

TEST(DevicePlan, FlowsAreThoseAskedFor) {
  for (const std::uint32_t flows : {1u, 38u, 39u, 77u, 5000u}) {
    DeviceMeterOptions options = plan_options();
    options.flows = flows;
    const DevicePlan plan = plan_device(options, 4 * kGiB);
    EXPECT_EQ(plan.flows, flows);
    check_plan(plan, options, 4 * kGiB);
    options.meter.five_tuple.block = 1000;
    EXPECT_EQ(plan_device(options, 4 * kGiB).bytes, least_memory(options));
  }
}

// A small input on a large GPU: gigabytes that nobody needs are not made ready. Never more than without knowing.
TEST(DevicePlan, TablesHaveNoMoreRoomThanTheInputNeeds) {
  for (const Method method : {Method::exact, Method::five_tuple}) {
    DeviceMeterOptions options = plan_options(4096, method);
    const DevicePlan unknown = plan_device(options, 80 * kGiB);
    for (const std::uint64_t packets : {std::uint64_t{1}, std::uint64_t{100'000}, std::uint64_t{1} << 40}) {
      options.most_packets = packets;
      const DevicePlan plan = plan_device(options, 80 * kGiB);
      EXPECT_EQ(plan.flows, std::min<std::uint64_t>(std::max<std::uint64_t>(2 * packets, 8192), unknown.flows));
      EXPECT_LE(plan.hole_units, unknown.hole_units);
      EXPECT_EQ(plan.block, unknown.block);  // the output depends on it
      EXPECT_LE(plan.bytes, unknown.bytes);
    }
  }
}

TEST(DevicePlan, BatchesTakeTwiceTheirColumnsAndRecords) {
  DeviceMeterOptions options = plan_options(1'000'000);
  options.flows = 1000;
  options.meter.duplicates.window = 0;
  const std::uint64_t small = least_memory(options);
  options.batch *= 2;
  const std::uint64_t a_packet =
      2 * (48 + 48 + 40 + 8 + 40 + 8 + 240 + 240 / 4 + 4 + 1);  // a fourth as many idle flows
  EXPECT_GE(least_memory(options) - small, a_packet * 1'000'000);
  EXPECT_LE(least_memory(options) - small, (a_packet + 100) * 1'000'000);
  options.batch /= 2;
  options.meter.duplicates.window = 1'000'000;
  EXPECT_GE(least_memory(options) - small, std::uint64_t{2} * (40 + 8 + 40 + 8) * 1'000'000);
}

// In 64 bits, all of it.
TEST(DevicePlan, LargestBatchesTakeInProportion) {
  DeviceMeterOptions options = plan_options(std::uint32_t{1} << 26);
  options.meter.five_tuple.block = 1000;
  const double small = static_cast<double>(least_memory(options));
  options.batch = std::uint32_t{1} << 28;
  EXPECT_NEAR(static_cast<double>(least_memory(options)) / small, 4, 0.02);
}

TEST(DevicePlan, TooLittleMemoryIsAnErrorWithBothNumbers) {
  DeviceMeterOptions options = plan_options(1000);
  options.meter.five_tuple.block = 1'000'000;  // 2^21 slots of 32 bytes
  EXPECT_THROW(plan_device(options, 100 * kMiB), DeviceError);
  const std::uint64_t needed = least_memory(options);
  const std::string text = thrown_text([&] { plan_device(options, needed - 1); });
  const std::string mebibytes = std::to_string((needed + kMiB - 1) / kMiB);
  EXPECT_NE(text.find("batches of 1000 packets"), std::string::npos) << text;
  EXPECT_NE(text.find("blocks of 1000000 "), std::string::npos) << text;
  EXPECT_NE(text.find("need " + mebibytes + " MiB"), std::string::npos) << text;
  EXPECT_NE(thrown_text([&] { plan_device(options, 7 * kMiB); }).find(" 7 MiB can be used"), std::string::npos);
  check_plan(plan_device(options, needed), options, needed);
}

TEST(DevicePlan, WithoutAnyMemoryIsAnErrorToo) {
  EXPECT_THROW(plan_device(plan_options(), 0), DeviceError);
  EXPECT_THROW(plan_device(plan_options(), 1), DeviceError);
}

TEST(DevicePlan, WhatNumbersCannotHoldIsRefused) {
  const auto refused = [](auto change) {
    DeviceMeterOptions options = plan_options();
    change(options);
    EXPECT_NE(thrown_text([&] { plan_device(options, std::uint64_t{1} << 50); }), "");
  };
  refused([](DeviceMeterOptions& o) { o.meter.five_tuple.block = kLargestBlock + 1; });
  refused([](DeviceMeterOptions& o) { o.flows = (1u << 30) + 1; });
  refused([](DeviceMeterOptions& o) { o.meter.duplicates.window = std::uint64_t{1} << 61; });
  refused([](DeviceMeterOptions& o) { o.piece = 0; });
  refused([](DeviceMeterOptions& o) { o.hole_units = 3; });
  refused([](DeviceMeterOptions& o) { o.hole_units = std::uint32_t{1} << 31; });
}

TEST(DevicePlan, IdleFlowsHaveTheirShareOfTheRecords) {
  EXPECT_EQ(plan_device(plan_options(100'000), 4 * kGiB).leaving, 25'000u);
  EXPECT_EQ(plan_device(plan_options(1), 4 * kGiB).leaving, 64u);
  EXPECT_EQ(plan_device(plan_options(100'000, Method::exact), 4 * kGiB).leaving, 25'000u);
}

// ---- method exact

constexpr std::uint64_t kUnitBytes = 64 + 6;  // and its places in the rings

void check_exact_plan(const DevicePlan& plan, const DeviceMeterOptions& options, std::uint64_t memory) {
  EXPECT_LE(plan.bytes, memory);
  EXPECT_GE(plan.before, options.meter.duplicates.window);
  EXPECT_EQ(plan.segment_slots, 0u);
  EXPECT_EQ(plan.block, kLargestBlock);
  EXPECT_TRUE(std::has_single_bit(plan.hole_units));
  EXPECT_TRUE(std::has_single_bit(plan.flow_slots));
  EXPECT_LE(static_cast<double>(plan.flows), static_cast<double>(plan.flow_slots) * 0.6);
  EXPECT_LE(plan.flows, 1u << 30);
  EXPECT_LE(plan.hole_units, 1u << 30);
  EXPECT_GE(plan.bytes, plan.hole_units * kUnitBytes + plan.flows * sizeof(FlowState) + plan.flow_slots * 8);
}

TEST(DevicePlanExact, StaysWithinTheMemory) {
  const DeviceMeterOptions options = plan_options(100'000, Method::exact);
  for (std::uint64_t memory = 512 * kMiB; memory <= 1024 * kGiB; memory += memory / 3) {
    SCOPED_TRACE(memory);
    check_exact_plan(plan_device(options, memory), options, memory);
  }
}

TEST(DevicePlanExact, UsesTheMemoryForFlowsAndAShareForHoles) {
  for (const std::uint64_t memory : {2 * kGiB, 5 * kGiB, 80 * kGiB}) {
    const DevicePlan plan = plan_device(plan_options(100'000, Method::exact), memory);
    EXPECT_GT(plan.bytes, memory - 1000);
    EXPECT_LE(plan.hole_units * kUnitBytes, memory / 8);
    EXPECT_GT(plan.hole_units * kUnitBytes, memory / 40);
    EXPECT_GT(plan.flows * sizeof(FlowState), memory / 2);
  }
}

TEST(DevicePlanExact, MoreMemoryIsNeverLess) {
  DevicePlan last{};
  for (std::uint64_t memory = kGiB; memory < 1024 * kGiB; memory += memory / 10) {
    const DevicePlan plan = plan_device(plan_options(100'000, Method::exact), memory);
    EXPECT_GE(plan.hole_units, last.hole_units);
    last = plan;
  }
}

TEST(DevicePlanExact, HoleUnitsAreThoseAskedFor) {
  for (const std::uint32_t units : {1u, 2u, 256u, 1u << 20}) {
    DeviceMeterOptions options = plan_options(1000, Method::exact);
    options.hole_units = units;
    options.flows = 1000;
    const DevicePlan plan = plan_device(options, 4 * kGiB);
    EXPECT_EQ(plan.hole_units, units);
    EXPECT_EQ(plan.flows, 1000u);
    check_exact_plan(plan, options, 4 * kGiB);
    EXPECT_EQ(plan.bytes, least_memory(options));
  }
}

// Where nothing is asked for, there is room for the largest block of all and for the flows of two batches at the least.
TEST(DevicePlanExact, LeastMemoryHasRoomForTheLargestBlockAndTwoBatches) {
  DeviceMeterOptions options = plan_options(1000, Method::exact);
  const std::uint64_t memory = least_memory(options);
  const DevicePlan plan = plan_device(options, memory);
  check_exact_plan(plan, options, memory);
  EXPECT_GE(plan.hole_units, 256u);
  EXPECT_EQ(plan.flows, 2000u);
  options.flows = 1;
  EXPECT_EQ(plan_device(options, least_memory(options)).hole_units, 256u);
}

TEST(DevicePlan, FewestFlowsAreThoseOfTwoBatches) {
  for (const std::uint32_t batch : {1u, 1000u, 100'000u}) {
    DeviceMeterOptions options = plan_options(batch);
    options.meter.five_tuple.block = 1000;
    EXPECT_EQ(plan_device(options, least_memory(options)).flows, 2 * batch);
  }
}

TEST(DevicePlanExact, TooLittleMemoryIsAnErrorThatSpeaksOfNoBlocks) {
  const DeviceMeterOptions options = plan_options(1000, Method::exact);
  const std::uint64_t needed = least_memory(options);
  const std::string text = thrown_text([&] { plan_device(options, needed - 1); });
  EXPECT_NE(text.find("need " + std::to_string((needed + kMiB - 1) / kMiB) + " MiB"), std::string::npos) << text;
  EXPECT_EQ(text.find("block"), std::string::npos) << text;
  EXPECT_THROW(plan_device(options, 0), DeviceError);
}

}  // namespace
}  // namespace warpmeter::test
