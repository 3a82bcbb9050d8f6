// What fits into device memory: never more than there is, tables at their loads, and an error that says what is needed.
#include "device_plan.h"

#include <gtest/gtest.h>

#include <bit>

#include "segment_table.cuh"
#include "support/thrown_text.h"
#include "warpmeter/flow_state.h"

namespace warpmeter::test {
namespace {

constexpr std::uint64_t kMiB = 1 << 20, kGiB = 1 << 30;

DeviceMeterOptions plan_options(std::uint32_t batch = 100'000) {
  DeviceMeterOptions options;
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
  EXPECT_EQ(plan.before, options.meter.duplicates.window);
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
  EXPECT_NEAR(static_cast<double>(without.flows - with.flows), static_cast<double>(with.segment_slots) * 16 / 219, 2);
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

TEST(DevicePlan, BatchesTakeTwiceTheirColumnsAndRecords) {
  DeviceMeterOptions options = plan_options(1'000'000);
  options.meter.duplicates.window = 0;
  const std::uint64_t small = least_memory(options);
  options.batch *= 2;
  const std::uint64_t a_packet = 2 * (40 + 8 + 48 + 8 + 224 + 4);
  EXPECT_GE(least_memory(options) - small, a_packet * 1'000'000);
  EXPECT_LE(least_memory(options) - small, (a_packet + 100) * 1'000'000);
  options.batch /= 2;
  options.meter.duplicates.window = 1'000'000;
  EXPECT_GE(least_memory(options) - small, std::uint64_t{2} * (40 + 8 + 48 + 8) * 1'000'000);
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
}

}  // namespace
}  // namespace warpmeter::test
