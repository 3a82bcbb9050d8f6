// The total order of Flow Records, and adding their counters.
#include "warpmeter/flow_record.h"

#include <gtest/gtest.h>

#include <iterator>

#include "support/keys.h"

namespace warpmeter::test {
namespace {

FlowRecord record(std::int64_t start_ns, std::int64_t end_ns, std::uint64_t arrival) {
  FlowRecord r;
  r.start_ns = start_ns;
  r.end_ns = end_ns;
  r.arrival = arrival;
  return r;
}

void expect_ordered(const FlowRecord& lower, const FlowRecord& higher) {
  EXPECT_LT(output_order(lower, higher), 0);
  EXPECT_GT(output_order(higher, lower), 0);
}

TEST(FlowRecord, KeyThenStartThenEndThenArrival) {
  expect_ordered(record(1, 9, 9), record(2, 3, 1));
  expect_ordered(record(1, 2, 9), record(1, 3, 1));
  expect_ordered(record(1, 2, 8), record(1, 2, 9));
  FlowRecord higher_key = record(0, 0, 0);
  higher_key.key = key_of({});
  expect_ordered(record(9, 9, 9), higher_key);
}

TEST(FlowRecord, TimesBefore1970ComeFirst) { expect_ordered(record(-1, 0, 1), record(0, 0, 1)); }

TEST(FlowRecord, EqualRecordsCompareEqual) { EXPECT_EQ(output_order(record(1, 2, 3), record(1, 2, 3)), 0); }

TEST(FlowRecord, AddingTakesTheFirstStartAndTheLastEnd) {
  FlowRecord sum = record(10, 20, 1);
  add_counters(sum, record(5, 15, 2));
  EXPECT_EQ(sum.start_ns, 5);
  EXPECT_EQ(sum.end_ns, 20);
  add_counters(sum, record(7, 30, 3));
  EXPECT_EQ(sum.start_ns, 5);
  EXPECT_EQ(sum.end_ns, 30);
  EXPECT_EQ(sum.arrival, 1u);
}

constexpr std::uint64_t FlowRecord::*kSums[] = {&FlowRecord::packets,
                                                &FlowRecord::bytes,
                                                &FlowRecord::payload_bytes,
                                                &FlowRecord::data_segments,
                                                &FlowRecord::retransmitted_segments,
                                                &FlowRecord::retransmitted_bytes,
                                                &FlowRecord::duplicate_packets,
                                                &FlowRecord::duplicate_bytes,
                                                &FlowRecord::out_of_order_segments,
                                                &FlowRecord::keep_alive_segments,
                                                &FlowRecord::missing_bytes,
                                                &FlowRecord::syn_count,
                                                &FlowRecord::fin_count,
                                                &FlowRecord::rst_count,
                                                &FlowRecord::zero_window_count,
                                                &FlowRecord::stray_segments};

TEST(FlowRecord, AddingSumsEveryCounterBeyond32Bits) {
  FlowRecord sum, other;
  std::uint64_t n = std::uint64_t{1} << 32;
  for (const auto counter : kSums) {
    sum.*counter = ++n;
    other.*counter = 3;
  }
  add_counters(sum, other);
  n = std::uint64_t{1} << 32;
  for (const auto counter : kSums) EXPECT_EQ(sum.*counter, ++n + 3);
}

TEST(FlowRecord, AddingJoinsFlagsAndLeavesTheRest) {
  FlowRecord sum, other;
  sum.tcp_flags = 0x02;
  other.tcp_flags = 0x11;
  other.connection_bytes = 7;
  other.connection_ns = 8;
  other.end_reason = EndReason::idle;
  other.flags = kHasConnection;
  add_counters(sum, other);
  EXPECT_EQ(sum.tcp_flags, 0x13);
  EXPECT_EQ(sum.connection_bytes, 0);
  EXPECT_EQ(sum.connection_ns, 0);
  EXPECT_EQ(sum.end_reason, EndReason::forced);
  EXPECT_EQ(sum.flags, 0);
}

}  // namespace
}  // namespace warpmeter::test
