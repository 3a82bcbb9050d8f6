// Flow Records that wait for the files of their intervals: what of them lies in a run, and in which order.
#include "flow/runs/waiting_record.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "core/byte_order.h"
#include "flow/runs/prefix_sort.h"
#include "flow/runs/run_store.h"
#include "support/record_maker.h"
#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

constexpr std::int64_t kTimes[] = {
    std::numeric_limits<std::int64_t>::min(), -1'000'000'000, -1, 0, 1, 255, 256, 1'700'000'000'000'000'000,
    std::numeric_limits<std::int64_t>::max()};

// Whatever their first packets are.
Partial waiting(std::int64_t interval_ns, std::uint64_t number, bool reverse = false) {
  return as_partial({test::test_record(7, 2, 3, 4), interval_ns, waiting_place(number, reverse)});
}

TEST(WaitingRecord, IsAFlowRecordWithItsInterval) {
  const Partial partial = waiting(-5, 9, true);
  EXPECT_EQ(interval_of(partial), -5);
  EXPECT_TRUE(is_reverse(partial));
  EXPECT_FALSE(is_reverse(waiting(-5, 9)));
  const FlowRecord record = partial, expected = test::test_record(7, 2, 3, 4);
  EXPECT_EQ(std::memcmp(&record, &expected, sizeof record), 0);  // the time of the first packet, too
}

TEST(WaitingRecord, LiesInARunFileAsDocumented) {
  const test::ScratchFolder folder;
  RunWriter writer(folder.path(), interval_order);
  writer.write(waiting(-5, 9, true));
  const auto file = writer.finish();
  std::uint8_t bytes[272];
  ASSERT_EQ(file->read(bytes, sizeof bytes, 0), sizeof bytes);
  EXPECT_EQ(bytes[10], 4);
  EXPECT_EQ(load<std::int64_t>(bytes + 32 + 208), 2);
  EXPECT_EQ(load<std::int64_t>(bytes + 32 + 224), -5);
  EXPECT_EQ(load<std::uint64_t>(bytes + 32 + 232), 2 * 9 + 1u);
}

TEST(WaitingRecord, PrefixIsTheOrder) {
  for (std::size_t i = 1; i < std::size(kTimes); ++i) {
    const Partial before = waiting(kTimes[i - 1], 2), after = waiting(kTimes[i], 1), next = waiting(kTimes[i], 2);
    EXPECT_LT(interval_order(before, after), 0);
    EXPECT_GT(interval_order(after, before), 0);
    EXPECT_LT(interval_order(after, next), 0);
    EXPECT_EQ(interval_order(after, after), 0);
    EXPECT_TRUE(prefix_in(interval_order, before) < prefix_in(interval_order, after));
    EXPECT_TRUE(prefix_in(interval_order, after) < prefix_in(interval_order, next));
  }
}

// In memory, and from files that are merged.
TEST(WaitingRecord, ComesBackByInterval) {
  std::mt19937_64 random(3);
  std::vector<Partial> records;
  for (std::uint64_t i = 1; i <= 3000; ++i) records.push_back(waiting(kTimes[random() % std::size(kTimes)], i));
  for (const std::uint64_t memory : {std::uint64_t{1} << 30, std::uint64_t{40'000}}) {
    const test::ScratchFolder folder;
    RunStore store({folder.path(), interval_order, memory, 4});
    for (auto part = records.begin(); part != records.end(); part += 50) store.add(PartialChunk(part, part + 50));
    EXPECT_EQ(store.runs_written() > 0, memory == 40'000);
    const auto runs = store.sorted(2);
    const auto ranges = runs->cut(10);
    ASSERT_EQ(ranges.size(), 1u);
    const auto cursor = runs->in(ranges.front());
    ASSERT_TRUE(test::same_records(test::sorted(records, interval_order), test::all_of(*cursor)));
  }
}

}  // namespace
}  // namespace warpmeter
