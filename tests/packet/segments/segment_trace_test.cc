// Sets as a source of packets: every segment once, with its number, however they are cut and by however many threads.
#include "packet/segments/segment_trace.h"

#include <gtest/gtest.h>

#include <tuple>

#include "pipeline/batches/ordered_batches.h"
#include "support/segment_files.h"
#include "support/thrown_text.h"

namespace warpmeter {
namespace {

using test::FramedSegment;
using test::ScratchFolder;
using Names = std::vector<std::string>;

constexpr std::uint32_t kShortRow = 50;

struct TraceOfSets {
  std::vector<FramedSegment> segments;  // `frame`: packet number
  DecodeCounters counters;
  std::uint64_t frames = 0, bytes = 0, batches = 0;

  // By partition they come in another order, but each flow's do not.
  std::vector<FramedSegment> sorted() const {
    auto all = segments;
    std::ranges::sort(all, {}, &FramedSegment::frame);
    return all;
  }
};

// What a batch is made of.
struct ReadBatch {
  SegmentBatch batch{1};
  DecodeCounters counters;

  void begin() {
    batch.reset(0);
    counters = {};
  }
  void add(const FrameBlock& block) { block.decoded->append_to(std::span(&batch, 1), HashSeed(1), counters); }
  void finish(std::uint64_t first_number) { batch.first_number = first_number; }
};

struct HowToRead {
  bool in_order = false;
  unsigned threads = 1, chunks = 1;
  std::size_t frames = 100;
};

TraceOfSets read_trace(SegmentTrace& trace, const HowToRead& how) {
  TraceOfSets read;
  const BatchShape shape{.workers = how.threads,
                         .slots = how.threads + 2,
                         .consumers = 1,
                         .chunks = how.chunks,
                         .chunk = {.frames = how.frames, .in_order = how.in_order}};
  OrderedBatches<ReadBatch> batches(trace, shape, [] { return ReadBatch(); });
  batches.run([&](unsigned, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t b = first; b < last; ++b) {
      const ReadBatch& one = batches[b];
      read.counters.add(one.counters);
      ++read.batches;
      for (std::uint32_t i = 0; i < one.batch.count; ++i) {
        const Segment& s = one.batch.segment[i];
        read.segments.push_back({one.batch.key[i], s, one.batch.first_number + s.frame});
      }
    }
  });
  read.frames = trace.frames_read();
  read.bytes = trace.bytes_read();
  return read;
}

TraceOfSets read_files(const Names& files, const HowToRead& how, const std::optional<PartitionChoice>& choice = {},
                       const std::atomic<bool>* stop = nullptr) {
  static const std::atomic<bool> never = false;
  SegmentTrace trace(look_at_sets(files, {}, FileOrder::given, choice), stop ? *stop : never);
  return read_trace(trace, how);
}

// Two sets, the first with frames behind its last segment and rows without segments, and what both come to.
struct TwoSets {
  ScratchFolder scratch{test::folder_in_memory()};
  Names files;
  std::vector<FramedSegment> all;
  std::uint64_t frames = 0;
  unsigned next = 0;

  explicit TwoSets(unsigned partitions) {
    auto one = test::RandomSegments(1, 100).next_ones(300);
    for (std::size_t i = 200; i < one.size(); ++i) one[i].frame += 5 * kShortRow;
    add(one, partitions, 3 * kShortRow + 7);
    add(test::RandomSegments(2, 100).next_ones(200), partitions, 0);
  }
  void add(const std::vector<FramedSegment>& segments, unsigned partitions, std::uint64_t behind) {
    SetFacts facts = test::facts_of(segments);
    facts.counters.frames += behind;
    facts.counters.ignored[1] = facts.counters.frames - facts.counters.metered;
    facts.inputs = {std::to_string(next)};
    const Names names = test::write_set(scratch.file(std::to_string(next++)), partitions, kShortRow, segments, facts);
    files.insert(files.end(), names.begin(), names.end());
    for (FramedSegment s : segments) {
      s.frame += frames + 1;
      all.push_back(s);
    }
    frames += facts.counters.frames;
  }
};

class SegmentTraceOf : public testing::TestWithParam<std::tuple<unsigned, unsigned, unsigned>> {};

TEST_P(SegmentTraceOf, GivesEverySegmentItsNumber) {
  const auto& [partitions, threads, chunks] = GetParam();
  const TwoSets sets(partitions);
  for (const std::size_t frames : {1, 60, 100'000}) {
    const TraceOfSets in_order = read_files(sets.files, {true, threads, chunks, frames});
    EXPECT_EQ(in_order.segments, sets.all);
    const TraceOfSets by_partition = read_files(sets.files, {false, threads, chunks, frames});
    EXPECT_EQ(by_partition.sorted(), sets.all);
    for (const TraceOfSets* read : {&in_order, &by_partition}) {
      EXPECT_EQ(read->frames, sets.frames);
      EXPECT_EQ(read->counters.frames, sets.frames);
      EXPECT_EQ(read->counters.metered, sets.all.size());
      EXPECT_EQ(read->counters.ignored[1], sets.frames - sets.all.size());
      EXPECT_GT(read->bytes, 0u);
    }
    EXPECT_EQ(in_order.bytes, by_partition.bytes);
  }
}

// Within a partition the order is that of the packets.
TEST_P(SegmentTraceOf, KeepsTheOrderOfEachPartition) {
  const auto& [partitions, threads, chunks] = GetParam();
  const TwoSets sets(partitions);
  const TraceOfSets read = read_files(sets.files, {false, threads, chunks, 60});
  for (unsigned p = 0; p < partitions; ++p) {
    EXPECT_EQ(test::of_partition(read.segments, p, partitions), test::of_partition(sets.all, p, partitions));
  }
}

INSTANTIATE_TEST_SUITE_P(SegmentTrace, SegmentTraceOf,
                         testing::Combine(testing::Values(1, 4, 64), testing::Values(1, 4), testing::Values(1, 5)));

TEST(SegmentTrace, PartsHaveTheNumbersOfTheWhole) {
  const TwoSets sets(64);
  std::vector<FramedSegment> all;
  std::uint64_t ignored = 0;
  for (unsigned i = 1; i <= 4; ++i) {
    const TraceOfSets read = read_files(sets.files, {true}, PartitionChoice{i, 4});
    for (const FramedSegment& s : read.segments) EXPECT_EQ(test::partition_of(s.key, 4), i - 1);
    all.insert(all.end(), read.segments.begin(), read.segments.end());
    EXPECT_EQ(read.frames, sets.frames);
    ignored += read.counters.ignored[1];
  }
  std::ranges::sort(all, {}, &FramedSegment::frame);
  EXPECT_EQ(all, sets.all);
  EXPECT_EQ(ignored, sets.frames - sets.all.size());
}

TEST(SegmentTrace, StopsWhenToldTo) {
  const TwoSets sets(4);
  const std::atomic<bool> stop = true;
  const TraceOfSets read = read_files(sets.files, {}, {}, &stop);
  EXPECT_TRUE(read.segments.empty());
  EXPECT_EQ(read.frames, 0u);
}

TEST(SegmentTrace, SaysWhatItIs) {
  const TwoSets sets(4);
  const std::atomic<bool> never = false;
  SegmentTrace trace(look_at_sets(sets.files, {}, FileOrder::given, {}), never);
  EXPECT_TRUE(trace.ends());
  EXPECT_TRUE(trace.repeatable());
  EXPECT_EQ(trace.packets_in_all(), sets.all.size());
  std::int64_t latest = sets.all.front().segment.time_ns;
  for (const FramedSegment& s : sets.all) latest = std::max(latest, s.segment.time_ns);
  EXPECT_EQ(trace.watermark_ns(), latest);
  EXPECT_LE(read_trace(trace, {}).bytes, trace.bytes_in_all());
}

TEST(SegmentTrace, FindingsAreThoseOfItsSets) {
  const ScratchFolder scratch;
  constexpr std::int64_t kSecond = 1'000'000'000;  // twice what clocks may differ by
  SetFacts one, two;
  one.counters.frames = two.counters.frames = 1;
  one.first_ns = one.latest_ns = 100;
  two.first_ns = two.latest_ns = 100 - 2 * kSecond;
  one.findings.damage = {{"a", 1, "x"}};
  two.findings.damage = {{"b", 2, "y"}};
  two.findings.unreadable = {"c"};
  one.findings.clamped_times = 3;
  two.findings.clamped_times = 4;
  one.findings.time_runs_back = {{"p", "q", 9}};
  one.findings.time_runs_back_count = 1;
  Names files = test::write_set(scratch.file("a"), 1, 64, {}, one);
  files.push_back(test::write_set(scratch.file("b"), 1, 64, {}, two).front());
  const std::atomic<bool> never = false;
  SegmentTrace trace(look_at_sets(files, {}, FileOrder::given, {}), never);
  read_trace(trace, {});
  const TraceFindings found = trace.findings();
  EXPECT_EQ(found.damage, (std::vector<Damage>{{"a", 1, "x"}, {"b", 2, "y"}}));
  EXPECT_EQ(found.unreadable, Names{"c"});
  EXPECT_EQ(found.clamped_times, 7u);
  EXPECT_EQ(found.time_runs_back_count, 2u);
  EXPECT_EQ(found.time_runs_back, (std::vector<ClockRegression>{{"p", "q", 9}, {files[0], files[1], 2 * kSecond}}));
}

TEST(SegmentTrace, EmptySetsHaveNumbersToo) {
  const ScratchFolder scratch;
  SetFacts empty, ignored;
  ignored.counters.frames = 3 * kShortRow + 1;
  ignored.counters.ignored[0] = ignored.counters.frames;
  Names files = test::write_set(scratch.file("a"), 4, kShortRow, {}, empty);
  for (const std::string& file : test::write_set(scratch.file("b"), 4, kShortRow, {}, ignored)) files.push_back(file);
  for (const bool in_order : {false, true}) {
    const TraceOfSets read = read_files(files, {in_order});
    EXPECT_EQ(read.frames, ignored.counters.frames);
    EXPECT_EQ(read.counters.ignored[0], ignored.counters.frames);
    EXPECT_TRUE(read.segments.empty());
  }
}

// A few bytes can say that there are more frames than anybody would wait for.
TEST(SegmentTrace, FramesWithoutSegmentsTakeNoTime) {
  const ScratchFolder scratch;
  auto all = test::RandomSegments(1).next_ones(10, 0);
  const std::uint64_t far = kMostSetFrames - 1000;
  for (std::size_t i = 5; i < all.size(); ++i) all[i].frame += far;
  SetFacts facts = test::facts_of(all);
  facts.counters.frames += 500;
  const Names files = test::write_set(scratch.file("a"), 2, kRowFrames, all, facts);
  for (const unsigned chunks : {1u, 7u}) {
    const TraceOfSets read = read_files(files, {true, 2, chunks, 4096});
    for (FramedSegment& s : all) ++s.frame;
    EXPECT_EQ(read.segments, all);
    for (FramedSegment& s : all) --s.frame;
    EXPECT_EQ(read.frames, facts.counters.frames);
    EXPECT_LT(read.batches, 20'000u);
  }
}

std::string refused_trace(const Names& files, bool in_order) {
  return test::thrown_text([&] { read_files(files, {in_order}); });
}

TEST(SegmentTrace, MoreThanItsFactsSayIsAnError) {
  const ScratchFolder scratch;
  const auto all = test::RandomSegments(1, 100).next_ones(100, 0);
  for (const bool in_order : {false, true}) {
    for (const std::uint64_t frames : {1, 49, 50, 51, 99}) {
      SetFacts facts = test::facts_of(all);
      facts.counters.frames = frames;
      facts.counters.metered = 0;
      facts.inputs = {std::to_string(frames)};
      const std::string folder = scratch.file(std::to_string(frames));
      EXPECT_TRUE(refused_trace(test::write_set(folder, 4, kShortRow, all, facts), in_order).starts_with(folder));
    }
  }
}

// Of both files together.
TEST(SegmentTrace, MoreSegmentsThanFramesCanHaveAreAnError) {
  const ScratchFolder scratch;
  auto all = test::RandomSegments(1, 100).next_ones(std::size_t{kMostFrameSegments} + 1, 0);
  for (FramedSegment& s : all) s.frame = 0;
  SetFacts facts;
  facts.counters.frames = 1;
  const Names files = test::write_set(scratch.file("a"), 2, kRowFrames, all, facts);
  for (const bool in_order : {false, true}) {
    EXPECT_NE(refused_trace(files, in_order).find("more segments there than its frames can have"), std::string::npos);
  }
}

// Packets of A-MSDUs: more than frames.
TEST(SegmentTrace, FramesMayHaveSeveralSegments) {
  const ScratchFolder scratch;
  auto all = test::RandomSegments(1, 100).next_ones(1000, 0);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].frame = i / 10;
  SetFacts facts = test::facts_of(all);
  facts.counters.frames = 120;
  const Names files = test::write_set(scratch.file("a"), 4, kShortRow, all, facts);
  for (const bool in_order : {false, true}) {
    const TraceOfSets read = read_files(files, {.in_order = in_order});
    EXPECT_EQ(read.frames, 120u);
    EXPECT_EQ(read.counters.frames, 120u);
    EXPECT_EQ(read.counters.metered, 1000u);
  }
}

}  // namespace
}  // namespace warpmeter
