// Flow Records and partials in one expression, and sorted sequences of them in memory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "core/partial.h"
#include "flow/runs/cursors.h"
#include "support/flow_key_maker.h"

namespace warpmeter::test {

// One packet of 100 bytes, unless told otherwise.
inline Partial test_record(std::uint32_t flow, std::int64_t start, std::int64_t end, std::uint64_t arrival) {
  Partial record;
  record.key = numbered_key(flow);
  record.start_ns = record.first_ns = start;
  record.end_ns = end;
  record.arrival = arrival;
  record.packets = 1;
  record.bytes = 100;
  return record;
}

// Few keys and times, so that everything down to the arrival decides the order; arrivals are all different.
inline std::vector<Partial> random_records(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Partial> records;
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

template <class Record>
std::vector<Record> sorted(std::vector<Record> records, RecordOrder order = output_order) {
  std::sort(records.begin(), records.end(), [order](const auto& a, const auto& b) { return order(a, b) < 0; });
  return records;
}

inline std::vector<FlowRecord> records_of(const std::vector<Partial>& partials) {
  return {partials.begin(), partials.end()};
}

template <class Record, class Cursor>
class CursorOf : public Cursor {
 public:
  explicit CursorOf(std::vector<Record> records) : records_(std::move(records)) { show(); }
  void advance() override {
    ++at_;
    show();
  }

 private:
  void show() { this->head_ = at_ < records_.size() ? &records_[at_] : nullptr; }
  const std::vector<Record> records_;
  std::size_t at_ = 0;
};

inline std::unique_ptr<RecordCursor> record_list(std::vector<FlowRecord> records) {
  return std::make_unique<CursorOf<FlowRecord, RecordCursor>>(std::move(records));
}
inline std::unique_ptr<PartialCursor> partial_list(std::vector<Partial> partials) {
  return std::make_unique<CursorOf<Partial, PartialCursor>>(std::move(partials));
}

// What is left in a cursor.
inline std::vector<FlowRecord> all_of(RecordCursor& cursor) {
  std::vector<FlowRecord> records;
  for (; cursor.head(); cursor.advance()) records.push_back(*cursor.head());
  return records;
}
inline std::vector<Partial> all_of(PartialCursor& cursor) {
  std::vector<Partial> partials;
  for (; cursor.head(); cursor.advance()) partials.push_back(*cursor.head());
  return partials;
}

// Every byte of every one.
template <class Record>
testing::AssertionResult same_records(const std::vector<Record>& expected, const std::vector<Record>& got) {
  if (expected.size() != got.size()) {
    return testing::AssertionFailure() << got.size() << " records instead of " << expected.size();
  }
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::memcmp(&expected[i], &got[i], sizeof(Record)) != 0) {
      return testing::AssertionFailure() << "record " << i << " differs: arrival " << got[i].arrival << " instead of "
                                         << expected[i].arrival;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace warpmeter::test
