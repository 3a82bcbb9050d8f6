// Which packets a selection has, by key and number; that it holds to its memory. Flow Records to ranges of packets:
// where several flows have one key, each has the packets up to the next one's first.
#include "command/packets/flow_selection.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "analysis/query/flow_of.h"
#include "core/biflow_key.h"
#include "core/flow_hash.h"
#include "support/keys.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

constexpr std::uint64_t kRoom = 1 << 26;

FlowKey key_number(std::uint32_t number) {
  FlowKey key;
  key.version = 4;
  for (int i = 0; i < 4; ++i) key.source[i] = static_cast<std::uint8_t>(number >> 8 * i);
  key.protocol = kProtocolUdp;
  return key;
}

TEST(FlowSelection, HasWhatWasAddedAndNothingElse) {
  const HashSeed seed(7);
  FlowSelection selection(PacketOrder::number, seed, kRoom);
  const auto of = [&](std::uint32_t number) {
    const FlowKey key = key_number(number);
    return selection.of(key, hash_flow(key, seed).hash);
  };
  EXPECT_TRUE(of(1).empty());
  constexpr std::uint32_t kKeys = 20'000;
  for (std::uint32_t i = 0; i < kKeys; ++i) {
    const std::vector<PacketRange> ranges(1 + i % 3, {i, i + 5});
    selection.add(key_number(2 * i), ranges);
  }
  for (std::uint32_t i = 0; i < kKeys; ++i) {
    ASSERT_EQ(of(2 * i).size(), 1 + i % 3) << i;
    EXPECT_EQ(of(2 * i).back(), (PacketRange{i, i + 5}));
    EXPECT_TRUE(of(2 * i + 1).empty());
  }
}

TEST(FlowSelection, RangesHoldTheirEnds) {
  const PacketRange range{5, 9};
  EXPECT_TRUE(range.holds(5) && range.holds(9));
  EXPECT_FALSE(range.holds(4) || range.holds(10) || range.holds_all());
  EXPECT_TRUE(PacketRange().holds_all());
}

TEST(FlowSelection, SaysWhereMemoryEnds) {
  FlowSelection selection(PacketOrder::number, HashSeed(7), 1 << 16);
  const PacketRange range;
  const std::string text = test::thrown_text([&] {
    for (std::uint32_t i = 0; i < 10'000; ++i) selection.add(key_number(i), {&range, 1});
  });
  EXPECT_NE(text.find("more flows are selected than have room in 64 KiB"), text.npos) << text;
}

using Ranges = std::vector<PacketRange>;
constexpr std::int64_t kFirst = PacketRange{}.first, kLast = PacketRange{}.last;

class SelectedFlows : public testing::Test {
 protected:
  FlowRecord record(const char* source, std::uint64_t first, std::uint64_t packets) {
    FlowRecord record = test::flow_between(source, "10.0.0.9", 1, 2).forward;
    record.arrival = first;
    record.packets = packets;
    return record;
  }
  Ranges of(const FlowKey& key) {
    const auto ranges = selection_.of(key, hash_flow(key, seed_).hash);
    return {ranges.begin(), ranges.end()};
  }
  Ranges of(const char* source) { return of(record(source, 0, 0).key); }

  const HashSeed seed_{3};
  const Filter filter_{"packets > 9"};
  FlowSelection selection_{PacketOrder::number, seed_, 1 << 24};
};

TEST_F(SelectedFlows, ReachFromOneFirstPacketToTheNext) {
  SelectingWriter writer(filter_, false, 0, selection_);
  RecordStream stream(writer);
  for (const std::uint64_t first : {1, 8, 20, 30})
    stream.write(record("10.0.0.1", first, first == 1 ? 3 : 10), nullptr);
  for (const std::uint64_t first : {5, 9, 11}) stream.write(record("10.0.0.2", first, first == 9 ? 3 : 10), nullptr);
  stream.write(record("10.0.0.3", 7, 1), nullptr);
  stream.write(record("10.0.0.4", 40, 10), nullptr);
  stream.flush();
  writer.end();
  EXPECT_EQ(of("10.0.0.1"), (Ranges{{8, kLast}}));
  EXPECT_EQ(of("10.0.0.2"), (Ranges{{kFirst, 8}, {11, kLast}}));
  EXPECT_EQ(of("10.0.0.3"), Ranges{});
  EXPECT_EQ(of("10.0.0.4"), (Ranges{{kFirst, kLast}}));
  EXPECT_EQ(writer.counts().flows, 9u);
  EXPECT_EQ(writer.counts().selected, 6u);
}

// Out of the order of their first packets, as output is by times; sections end anywhere.
TEST_F(SelectedFlows, InAnyOrderAndAcrossSections) {
  SelectingWriter writer(filter_, false, 0, selection_);
  RecordStream stream(writer, 1);
  for (const std::uint64_t first : {30, 8, 20}) stream.write(record("10.0.0.1", first, first == 20 ? 3 : 10), nullptr);
  stream.flush();
  writer.end();
  EXPECT_EQ(of("10.0.0.1"), (Ranges{{kFirst, 19}, {30, kLast}}));
}

TEST_F(SelectedFlows, OfBiflowsBothDirections) {
  SelectingWriter writer(filter_, true, 0, selection_);
  RecordStream stream(writer);
  const auto write = [&](std::uint64_t first, std::uint64_t packets, std::uint64_t reply) {
    const FlowRecord forward = record("10.0.0.1", first, packets);
    FlowRecord reverse = forward;
    reverse.key = reversed(forward.key);
    reverse.arrival = reply;
    stream.write(forward, reply ? &reverse : nullptr);
  };
  write(1, 3, 2);
  write(10, 10, 12);
  write(20, 10, 0);
  stream.flush();
  writer.end();
  EXPECT_EQ(of("10.0.0.1"), (Ranges{{10, kLast}}));
  EXPECT_EQ(of(reversed(record("10.0.0.1", 0, 0).key)), (Ranges{{12, kLast}}));
  EXPECT_EQ(writer.counts().flows, 3u);
  EXPECT_EQ(writer.counts().selected, 2u);
}

// Columns that were not counted meet no test.
TEST_F(SelectedFlows, NotCountedIsNotMet) {
  const Filter filter("missing_bytes = 0");
  SelectingWriter writer(filter, false, not_counted_by(Method::five_tuple), selection_);
  RecordStream stream(writer);
  stream.write(record("10.0.0.1", 1, 1), nullptr);
  stream.flush();
  writer.end();
  EXPECT_EQ(writer.counts().selected, 0u);
}

class GivenRows : public RecordReader {
 public:
  explicit GivenRows(std::vector<Biflow> rows) : rows_(std::move(rows)) {}
  bool next(Biflow& flow) override {
    if (at_ == rows_.size()) return false;
    flow = rows_[at_++];
    return true;
  }
  RecordLayout layout() const override { return {}; }
  const std::optional<ReadDamage>& damage() const override { return damage_; }

 private:
  const std::vector<Biflow> rows_;
  std::size_t at_ = 0;
  const std::optional<ReadDamage> damage_;
};

TEST_F(SelectedFlows, OfFilesByTheirTimes) {
  std::vector<Biflow> rows;
  const auto add = [&](const char* source, std::int64_t start, std::int64_t end) {
    rows.push_back({record(source, 0, 10), {}});
    rows.back().forward.start_ns = start;
    rows.back().forward.end_ns = end;
  };
  add("10.0.0.1", 5'000'001, 6'000'001);
  add("10.0.0.2", 1, 9);
  add("10.0.0.1", 1'000'000, 2'000'000);  // perhaps cut to microseconds
  add("10.0.0.1", 5'500'000, 6'500'001);
  const std::atomic<bool> no = false;
  FlowFiles files(std::make_unique<GivenRows>(rows), "rows", no);
  FlowSelection selection(PacketOrder::time, seed_, 1 << 24);
  const SelectedCounts counts = select_from(files, &filter_, selection);
  EXPECT_EQ(counts.selected, 4u);
  const FlowKey key = record("10.0.0.1", 0, 0).key;
  const auto ranges = selection.of(key, hash_flow(key, seed_).hash);
  EXPECT_EQ(Ranges(ranges.begin(), ranges.end()), (Ranges{{1'000'000, 2'000'999}, {5'000'001, 6'500'001}}));
}

}  // namespace
}  // namespace warpmeter
