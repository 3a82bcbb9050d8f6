// Flow Records in one expression, and sorted sequences of them in memory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "run/run_cursor.h"
#include "support/flow_key_maker.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::test {

// One packet of 100 bytes, unless told otherwise.
inline FlowRecord test_record(std::uint32_t flow, std::int64_t start, std::int64_t end, std::uint64_t arrival) {
  FlowRecord record;
  record.key = numbered_key(flow);
  record.start_ns = record.first_ns = start;
  record.end_ns = end;
  record.arrival = arrival;
  record.packets = 1;
  record.bytes = 100;
  return record;
}

// Few keys and times, so that everything down to the arrival decides the order; arrivals are all different.
inline std::vector<FlowRecord> random_records(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<FlowRecord> records;
  for (std::size_t i = 0; i < count; ++i) {
    const auto start = static_cast<std::int64_t>(random() % 4) - 2;
    records.push_back(test_record(static_cast<std::uint32_t>(random() % 5), start,
                                  start + static_cast<std::int64_t>(random() % 3), i + 1));
    if (random() % 3 == 0) records.back().key.version = 6;
    records.back().bytes = random();
  }
  std::shuffle(records.begin(), records.end(), random);
  return records;
}

inline std::vector<FlowRecord> sorted(std::vector<FlowRecord> records, RecordOrder order = output_order) {
  std::sort(records.begin(), records.end(), [order](const auto& a, const auto& b) { return order(a, b) < 0; });
  return records;
}

class RecordList : public RunCursor {
 public:
  explicit RecordList(std::vector<FlowRecord> records) : records_(std::move(records)) { show(); }
  void advance() override {
    ++at_;
    show();
  }

 private:
  void show() { head_ = at_ < records_.size() ? &records_[at_] : nullptr; }
  const std::vector<FlowRecord> records_;
  std::size_t at_ = 0;
};

inline std::unique_ptr<RunCursor> record_list(std::vector<FlowRecord> records) {
  return std::make_unique<RecordList>(std::move(records));
}

inline std::vector<FlowRecord> all_of(RunCursor& cursor) {
  std::vector<FlowRecord> records;
  for (; cursor.head(); cursor.advance()) records.push_back(*cursor.head());
  return records;
}

// Every byte of every one.
inline testing::AssertionResult same_records(const std::vector<FlowRecord>& expected,
                                             const std::vector<FlowRecord>& got) {
  if (expected.size() != got.size()) {
    return testing::AssertionFailure() << got.size() << " records instead of " << expected.size();
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::memcmp(&expected[i], &got[i], sizeof(FlowRecord)) != 0) {
      return testing::AssertionFailure() << "record " << i << " differs: arrival " << got[i].arrival << " instead of "
                                         << expected[i].arrival;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace warpmeter::test
