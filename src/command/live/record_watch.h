// Watches the Flow Records that leave while a capture runs: how many, what they count, how late, and whose they are.
//
// Threads: saw() and flushed() by the one that exports; the rest by any.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "command/live/top_hosts.h"
#include "core/record_writer.h"
#include "warpmeter/flow_record.h"

namespace warpmeter::inline command {

// Seconds from when the end of a flow was sure to its Flow Record; of flows that ended because they were idle, since
// of others that moment is not in the record.
inline constexpr std::array<double, 15> kLatencyBounds = {0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8,
                                                          1,    1.5, 2,   5,   10,  30,  60};

struct RecordCounts {
  std::uint64_t records = 0;
  std::uint64_t flushed = 0;                                       // of these, what all outputs have taken
  std::array<std::uint64_t, kLatencyBounds.size() + 1> latency{};  // how many in which range
  double latency_sum = 0;                                          // seconds
  std::uint64_t labels_cut = 0;  // records of which labels are left out; a biflow is one
  FlowRecord totals;             // sums of the counters of all; `absent`: those that the method does not count
};

class RecordWatch {
 public:
  // `idle_timeout_ns`: 0 where no latency is to be counted. `talkers`: whether top_talkers() will be asked for.
  // `absent`: columns that the method does not count (columns.h).
  RecordWatch(std::int64_t idle_timeout_ns, bool talkers, std::uint32_t absent = 0)
      : idle_ns_(idle_timeout_ns), absent_(absent) {
    if (talkers) sent_.emplace();
  }

  void saw(const FlowRecord& record, std::int64_t now_ns);

  void saw_labels_cut() { labels_cut_.fetch_add(1, std::memory_order_relaxed); }

  // All that was seen so far has been taken by the outputs.
  void flushed() { flushed_.store(records_.load(std::memory_order_relaxed), std::memory_order_relaxed); }

  RecordCounts counts() const;

  // The hosts that sent most, by the records since this was asked last.
  std::vector<TopHost> top_talkers(std::size_t most);

 private:
  void count_latency(std::int64_t latency_ns);

  const std::int64_t idle_ns_;
  const std::uint32_t absent_;
  std::atomic<std::uint64_t> records_ = 0, flushed_ = 0, labels_cut_ = 0;
  std::array<std::atomic<std::uint64_t>, kLatencyBounds.size() + 1> latency_{};
  std::atomic<std::int64_t> latency_sum_ns_ = 0;
#define WARPMETER_SUM(name, ...) std::atomic<std::uint64_t> name##_ = 0;
  WARPMETER_FLOW_COUNTERS(WARPMETER_SUM)  // of all records
#undef WARPMETER_SUM
  std::mutex mutex_;              // guards the hosts in sent_
  std::optional<TopHosts> sent_;  // empty or not from the beginning, which needs no lock
};

// The sections of a WatchedWriter.
class WatchedSection : public RecordSection {
 public:
  WatchedSection(std::unique_ptr<RecordSection> inner, RecordWatch& watch) : section(std::move(inner)), watch_(watch) {}
  void write(const FlowRecord& record, const FlowRecord* reverse) override {
    saw(record, reverse);
    section->write(record, reverse);
  }
  void write_annotated(const FlowRecord& record, const FlowRecord* reverse, const Annotations& annotations) override {
    saw(record, reverse);
    if (annotations.is_cut()) watch_.saw_labels_cut();
    section->write_annotated(record, reverse, annotations);
  }
  std::size_t bytes() const override { return section->bytes(); }

  const std::unique_ptr<RecordSection> section;

 private:
  void saw(const FlowRecord& record, const FlowRecord* reverse) {
    const std::int64_t now = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
    watch_.saw(record, now);
    if (reverse) watch_.saw(*reverse, now);
  }

  RecordWatch& watch_;
};

// An output whose Flow Records a RecordWatch sees as they are encoded.
class WatchedWriter : public RecordWriter, private RecordFormat {
 public:
  // What is referred to must outlive it.
  WatchedWriter(RecordWriter& output, RecordWatch& watch) : output_(output), watch_(watch) {}

  const RecordFormat& format() const override { return *this; }
  void begin() override { output_.begin(); }
  void append(RecordSection& section) override { output_.append(*static_cast<WatchedSection&>(section).section); }
  void flush() override {
    output_.flush();
    watch_.flushed();
  }
  void rotate() override { output_.rotate(); }
  void finish() override { output_.finish(); }
  void end() override { output_.end(); }

 private:
  std::unique_ptr<RecordSection> new_section() const override {
    return std::make_unique<WatchedSection>(output_.format().new_section(), watch_);
  }

  RecordWriter& output_;
  RecordWatch& watch_;
};

}  // namespace warpmeter::inline command
