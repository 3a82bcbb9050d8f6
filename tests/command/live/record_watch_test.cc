// Records that leave while a capture runs: counted, how late those of idle flows were, and who sent most.
#include "command/live/record_watch.h"

#include <gtest/gtest.h>

#include <memory>
#include <numeric>
#include <string>

namespace warpmeter {
namespace {

constexpr std::int64_t kWatchSecond = 1'000'000'000, kWatchIdle = 300 * kWatchSecond;

FlowRecord idle_record(std::int64_t end_ns, std::uint8_t host, std::uint64_t bytes) {
  FlowRecord record;
  record.key.version = 4;
  record.key.source[0] = 10;
  record.key.source[3] = host;
  record.end_ns = end_ns;
  record.end_reason = EndReason::idle;
  record.bytes = bytes;
  return record;
}

TEST(RecordWatch, LatencyIsFromWhenTheEndWasSure) {
  RecordWatch watch(kWatchIdle, false);
  const FlowRecord record = idle_record(1000 * kWatchSecond, 1, 1);
  watch.saw(record, record.end_ns + kWatchIdle + kWatchSecond / 2);  // 0.5 s: the bound itself
  watch.saw(record, record.end_ns + kWatchIdle + 100 * kWatchSecond);
  watch.saw(record, record.end_ns + kWatchIdle - kWatchSecond);  // a clock that was set back
  const RecordCounts counts = watch.counts();
  EXPECT_EQ(counts.records, 3u);
  EXPECT_EQ(counts.latency[5], 1u);  // more than 0.4, at most 0.5
  EXPECT_EQ(counts.latency.back(), 1u);
  EXPECT_EQ(counts.latency[0], 1u);
  EXPECT_DOUBLE_EQ(counts.latency_sum, 99.5);
}

TEST(RecordWatch, OtherEndsHaveNoLatency) {
  RecordWatch watch(kWatchIdle, false);
  FlowRecord record = idle_record(0, 1, 1);
  record.end_reason = EndReason::active;
  watch.saw(record, kWatchSecond);
  const RecordCounts counts = watch.counts();
  EXPECT_EQ(counts.records, 1u);
  EXPECT_EQ(std::accumulate(counts.latency.begin(), counts.latency.end(), std::uint64_t{0}), 0u);
}

TEST(RecordWatch, SumsWhatRecordsCount) {
  RecordWatch watch(kWatchIdle, false, 8);
  FlowRecord record = idle_record(0, 1, 40);
  record.retransmitted_segments = 3;
  record.stray_segments = 5;
  watch.saw(record, 0);
  record.stray_segments = 0;
  watch.saw(record, 0);
  const FlowRecord totals = watch.counts().totals;
  EXPECT_EQ(totals.bytes, 80u);
  EXPECT_EQ(totals.retransmitted_segments, 6u);
  EXPECT_EQ(totals.stray_segments, 5u);
  EXPECT_EQ(totals.zero_window_count, 0u);
  EXPECT_EQ(totals.absent, 8u);
}

TEST(RecordWatch, OnlyWhatOutputsHaveTakenIsFlushed) {
  RecordWatch watch(kWatchIdle, false);
  watch.saw(idle_record(0, 1, 1), 0);
  watch.flushed();
  watch.saw(idle_record(0, 1, 1), 0);
  EXPECT_EQ(watch.counts().records, 2u);
  EXPECT_EQ(watch.counts().flushed, 1u);
}

struct NoSection : RecordSection {
  void write(const FlowRecord&, const FlowRecord*) override {}
  void write_annotated(const FlowRecord&, const FlowRecord*, const Annotations&) override {}
  std::size_t bytes() const override { return 0; }
};

TEST(RecordWatch, CountsRecordsOfWhichLabelsAreLeftOut) {
  RecordWatch watch(kWatchIdle, false);
  WatchedSection section(std::make_unique<NoSection>(), watch);
  const FlowRecord record = idle_record(0, 1, 1);
  Annotations labels;
  for (std::size_t i = 0; i < kMostTexts; ++i) labels.add({i, 0, std::to_string(i)});
  const auto write = [&] {
    labels.keep_first(0);
    section.write_annotated(record, &record, labels);
    return watch.counts().labels_cut;
  };
  EXPECT_EQ(write(), 0u);
  labels.add({kMostTexts, 1, "of another column"});
  EXPECT_EQ(write(), 0u);
  labels.add({kMostTexts, 0, "more"});
  EXPECT_EQ(write(), 1u);
  labels.clear();
  EXPECT_EQ(write(), 1u);
  section.write(record, nullptr);
  EXPECT_EQ(watch.counts().labels_cut, 1u);
}

// No clock says how late records of files are.
TEST(RecordWatch, WithoutAnIdleTimeoutThereIsNoLatency) {
  RecordWatch watch(0, false);
  watch.saw(idle_record(0, 1, 1), INT64_MAX);
  watch.saw(idle_record(0, 1, 1), INT64_MAX);
  EXPECT_EQ(watch.counts().records, 2U);
  EXPECT_EQ(watch.counts().latency, RecordCounts{}.latency);
  EXPECT_EQ(watch.counts().latency_sum, 0);
}

TEST(RecordWatch, TopTalkersOfWhatCameSince) {
  RecordWatch watch(kWatchIdle, true);
  for (std::uint8_t host = 1; host < 10; ++host) {
    watch.saw(idle_record(0, host, 100 * host), 0);
    watch.saw(idle_record(0, host, host), 0);
  }
  const auto top = watch.top_talkers(2);
  ASSERT_EQ(top.size(), 2u);
  EXPECT_EQ(top[0].bytes, 909u);
  EXPECT_EQ(top[0].key.source[3], 9);
  EXPECT_EQ(top[1].bytes, 808u);
  EXPECT_TRUE(watch.top_talkers(2).empty());
}

}  // namespace
}  // namespace warpmeter
