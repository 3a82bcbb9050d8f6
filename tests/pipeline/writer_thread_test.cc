// A writer on a thread of its own gets the same records in the same order, and what it throws arrives.
#include "pipeline/writer_thread.h"

#include <gtest/gtest.h>

#include "warpmeter/status.h"

namespace warpmeter {
namespace {

struct Written {
  std::vector<std::uint64_t> arrivals;  // of records and, negated, of their reverses
  bool begun = false, ended = false;
};

class Recorder : public RecordWriter {
 public:
  Recorder(Written& written, std::uint64_t fails_at) : written_(written), fails_at_(fails_at) {}
  void begin() override { written_.begun = true; }
  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    if (record.arrival == fails_at_) throw Error("no more");
    written_.arrivals.push_back(record.arrival);
    if (reverse) written_.arrivals.push_back(~reverse->arrival);
  }
  void end() override { written_.ended = true; }

 private:
  Written& written_;
  const std::uint64_t fails_at_;
};

void write_all(WriterThread& thread, std::uint64_t count) {
  for (std::uint64_t i = 1; i <= count; ++i) {
    FlowRecord record, reverse;
    record.arrival = reverse.arrival = i;
    thread.write(record, i % 3 ? nullptr : &reverse);
  }
}

class OnAThread : public testing::TestWithParam<std::uint64_t> {};

TEST_P(OnAThread, WritesWhatItGetsInOrder) {
  Written written;
  WriterThread thread(std::make_unique<Recorder>(written, 0));
  thread.begin();
  EXPECT_TRUE(written.begun);
  write_all(thread, GetParam());
  thread.end();
  EXPECT_TRUE(written.ended);
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 1; i <= GetParam(); ++i) {
    expected.push_back(i);
    if (i % 3 == 0) expected.push_back(~i);
  }
  EXPECT_EQ(written.arrivals, expected);
}

INSTANTIATE_TEST_SUITE_P(Counts, OnAThread, testing::Values(0, 1, 511, 512, 513, 20'000));

TEST(WriterThread, WhatTheWriterThrowsArrives) {
  for (const std::uint64_t at : {1, 512, 513, 19'999, 20'000}) {
    Written written;
    WriterThread thread(std::make_unique<Recorder>(written, at));
    thread.begin();
    EXPECT_THROW(
        {
          write_all(thread, 20'000);
          thread.end();
        },
        Error)
        << at;
    EXPECT_FALSE(written.ended);
    EXPECT_LT(written.arrivals.size(), 20'000 * 4 / 3);
  }
}

TEST(WriterThread, ThrownAwayItEndsNothing) {
  Written written;
  {
    WriterThread thread(std::make_unique<Recorder>(written, 0));
    thread.begin();
    write_all(thread, 10'000);
  }
  EXPECT_FALSE(written.ended);
}

}  // namespace
}  // namespace warpmeter
