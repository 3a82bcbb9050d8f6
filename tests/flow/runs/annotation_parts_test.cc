// Annotations go the way of partials, and come out with the Flow Record of their packet: whatever memory, run files,
// joins, orders, sums of keys and biflows do in between.
#include "flow/runs/annotation_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>

#include "core/biflow_key.h"
#include "flow/runs/join.h"
#include "flow/runs/live_annotations.h"
#include "flow/runs/record_cursors.h"
#include "flow/runs/run_store.h"
#include "support/record_maker.h"
#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

constexpr Timeouts kShortTimeouts{30, 200};
constexpr std::uint32_t kLabels = 0, kName = 1;

struct Noted {
  FlowKey key;
  Annotation annotation;
};

// Packets of a few keys in both directions; parts of flows that were evicted or expired and perhaps went on, with what
// was noted of their packets.
struct Case {
  std::vector<Partial> partials;
  std::vector<Noted> noted;
};

Case random_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Case all;
  std::map<std::uint32_t, bool> open;  // by flow: a part of it is there
  for (std::uint64_t number = 1; number <= 600; ++number) {
    const auto flow = static_cast<std::uint32_t>(random() % 6);
    FlowKey key = test::numbered_key(flow / 2);
    if (flow % 2) key = reversed(key);
    if (!open[flow] || random() % 8 == 0) {
      open[flow] = true;
      const auto start = static_cast<std::int64_t>(number) - static_cast<std::int64_t>(random() % 20);
      Partial& part = all.partials.emplace_back(test::test_record(0, start, start + 5, number));
      part.key = key;
      part.removal = static_cast<Removal>(random() % 3);
    }
    for (std::uint64_t i = random() % 4; i-- > 0;) {
      std::string text(random() % 5 ? random() % 12 : random() % 400, 'a');
      for (char& c : text) c = static_cast<char>('a' + random() % 26);
      all.noted.push_back({key, {number, static_cast<std::uint32_t>(random() % 2), text}});
    }
  }
  return all;
}

struct Found {
  FlowRecord record;
  bool has_reverse = false;
  FlowRecord reverse;
  std::vector<Annotation> annotations;
  std::uint64_t cut = 0;  // 1: texts are left out
};

enum class Form { flows, aggregate, biflows };

// Through run files, unless there is memory for all.
std::vector<Found> exported(const Case& all, Form form, std::uint64_t memory) {
  const test::ScratchFolder folder;
  const bool both = form == Form::biflows;
  const auto options = [&](RecordOrder order) { return RunStoreOptions{folder.path(), order, memory, 2}; };
  RunStore runs(options(both ? biflow_arrival_order : arrival_order));
  AnnotationLog log(runs);
  for (const Noted& noted : all.noted) log.add(noted.key, noted.annotation);
  log.flush();
  for (std::size_t at = 0; at < all.partials.size(); at += 7) {
    runs.add(PartialChunk(all.partials.begin() + static_cast<std::ptrdiff_t>(at),
                          all.partials.begin() + static_cast<std::ptrdiff_t>(std::min(at + 7, all.partials.size()))));
  }
  const auto sorted = runs.sorted(2);
  std::vector<Found> found;
  for (const KeyRange& range : sorted->cut(3)) {
    std::unique_ptr<RecordCursor> records = std::make_unique<Join>(sorted->in(range), kShortTimeouts);
    records = std::make_unique<OutputOrder>(std::move(records), options(both ? biflow_output_order : output_order));
    if (form == Form::aggregate) records = std::make_unique<Aggregate>(std::move(records));
    if (both) records = std::make_unique<Biflows>(std::move(records), 50);
    std::uint64_t cut = 0;
    for (AnnotatedRecords annotated(std::move(records)); annotated.head(); annotated.advance()) {
      Found& one = found.emplace_back(Found{*annotated.head(), annotated.reverse() != nullptr, {}, {}});
      one.cut = annotated.cut() - std::exchange(cut, annotated.cut());
      if (one.has_reverse) one.reverse = *annotated.reverse();
      one.annotations = annotated.annotations().all();
    }
  }
  return found;
}

// What belongs to a flow: all that was noted of packets from its first to the next flow's of its key.
std::vector<Annotation> belonging_to(const FlowRecord& flow, const std::vector<FlowRecord>& flows, const Case& all) {
  std::uint64_t end = UINT64_MAX;
  for (const FlowRecord& other : flows) {
    if (other.key == flow.key && other.arrival > flow.arrival) end = std::min(end, other.arrival);
  }
  std::vector<Annotation> belonging;
  for (const auto& [key, annotation] : all.noted) {
    if (key == flow.key && annotation.packet >= flow.arrival && annotation.packet < end)
      belonging.push_back(annotation);
  }
  return belonging;
}

std::vector<FlowRecord> flows_of(const Case& all) {
  Join joined(test::partial_list(test::sorted(all.partials, arrival_order)), kShortTimeouts);
  return test::all_of(joined);
}

void sort_by_packet(std::vector<Annotation>& annotations) {
  std::ranges::stable_sort(annotations, {}, &Annotation::packet);
}

class AnnotationParts : public testing::TestWithParam<std::uint64_t> {};  // bytes of memory

TEST_P(AnnotationParts, ComeOutWithTheFlowOfTheirPacket) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Case all = random_case(seed);
    const std::vector<FlowRecord> flows = flows_of(all);
    std::size_t annotations = 0;
    std::vector<FlowRecord> records;
    for (const Found& found : exported(all, Form::flows, GetParam())) {
      records.push_back(found.record);
      ASSERT_EQ(found.annotations, belonging_to(found.record, flows, all)) << seed;
      annotations += found.annotations.size();
    }
    EXPECT_EQ(annotations, all.noted.size());
    EXPECT_TRUE(test::same_records(test::sorted(flows), records));
  }
}

TEST_P(AnnotationParts, OfAKeyAreSummedInTheOrderOfPackets) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Case all = random_case(seed);
    for (const Found& found : exported(all, Form::aggregate, GetParam())) {
      std::vector<Annotation> expected;
      for (const auto& [key, annotation] : all.noted) {
        if (key == found.record.key) expected.push_back(annotation);
      }
      ASSERT_EQ(found.annotations, expected) << seed;
    }
  }
}

TEST_P(AnnotationParts, OfBothDirectionsAreMergedInTheOrderOfPackets) {
  std::size_t pairs = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Case all = random_case(seed);
    const std::vector<FlowRecord> flows = flows_of(all);
    for (const Found& found : exported(all, Form::biflows, GetParam())) {
      std::vector<Annotation> expected = belonging_to(found.record, flows, all);
      if (found.has_reverse) {
        ++pairs;
        std::ranges::copy(belonging_to(found.reverse, flows, all), std::back_inserter(expected));
        sort_by_packet(expected);
      }
      ASSERT_EQ(found.annotations, expected) << seed;
    }
  }
  EXPECT_GT(pairs, 50u);
}

INSTANTIATE_TEST_SUITE_P(Memory, AnnotationParts, testing::Values(1, 20 * sizeof(Partial), std::uint64_t{1} << 24));

TEST(AnnotationParts, OfPacketsInNoFlowAreDropped) {
  Case all;
  all.partials.push_back(test::test_record(1, 0, 0, 5));
  all.noted.push_back({test::numbered_key(1), {4, kLabels, "before"}});
  all.noted.push_back({test::numbered_key(1), {5, kLabels, "first"}});
  all.noted.push_back({test::numbered_key(2), {5, kLabels, "of no flow"}});
  const std::vector<Found> found = exported(all, Form::flows, 1 << 20);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].annotations, (std::vector<Annotation>{{5, kLabels, "first"}}));
}

// The parts of some annotations, in a random order of groups, which are cut wherever they meet.
std::vector<Annotation> cut_in_groups(const std::vector<Annotation>& all, std::size_t most, std::mt19937_64& random) {
  const FlowRecord flow = test::test_record(1, 0, 0, 1);
  std::vector<PartsBehind> groups(1 + random() % 8);
  std::vector<Partial> parts;
  std::uint64_t sequence = 0;
  for (const Annotation& annotation : all) {
    parts.clear();
    append_parts(parts, flow.key, annotation, {}, annotation.packet, sequence);
    PartsBehind& group = groups[random() % groups.size()];
    for (const Partial& part : parts) group.add(part);
    if (random() % 4 == 0) group.keep_first(most);
  }
  while (groups.size() > 1) {
    PartsBehind last = std::move(groups.back());
    groups.pop_back();
    PartsBehind& other = groups[random() % groups.size()];
    if (random() % 2) last.keep_first(most);
    while (const FlowRecord* const part = last.next()) other.add(*part);
    if (random() % 2) other.keep_first(most);
  }
  groups[0].keep_first(most);
  groups[0].give_to(flow);
  Annotations cut;
  while (const FlowRecord* const part = groups[0].next()) add_part(cut, *part);
  return cut.all();
}

TEST(PartsBehind, KeepTheFirstHoweverTheyAreGrouped) {
  constexpr std::size_t kMost = 5;
  std::size_t left_out = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<Annotation> all;
    for (std::uint64_t packet = 1; packet <= 60; ++packet) {
      std::string text(random() % 9 ? 1 : 300, static_cast<char>('a' + random() % 26));
      while (random() % 3 == 0) (text += ',') += static_cast<char>('a' + random() % 26);
      all.push_back({packet, static_cast<std::uint32_t>(random() % 2), text});
    }
    Annotations whole;
    for (const auto& [packet, column, text] : all) whole.add_text(packet, column, text, false);
    left_out += whole.keep_first(kLabels, kMost);
    std::ranges::shuffle(all, random);
    ASSERT_EQ(cut_in_groups(all, kMost, random), whole.all()) << seed;
  }
  EXPECT_EQ(left_out, 200u);
}

// A flow whose packets bring all its labels again and again, two sets in turn; and one that has just as many as it may.
TEST(AnnotationParts, OfAFlowAreTheFirstOnly) {
  Case all;
  for (std::uint32_t flow : {1, 2}) all.partials.push_back(test::test_record(flow, 0, 0, flow));
  for (std::uint64_t packet = 2; packet < 40; ++packet) {
    for (std::uint64_t i = 0; i < 400; ++i) {
      if (packet % 2 || i < kMostTexts)
        all.noted.push_back({test::numbered_key(1 + packet % 2), {packet, kLabels, std::to_string(i)}});
    }
  }
  for (const Form form : {Form::flows, Form::aggregate, Form::biflows}) {
    const std::vector<Found> found = exported(all, form, 1 << 24);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].cut + found[1].cut, 1u);
    for (const Found& one : found) {
      ASSERT_EQ(one.annotations.size(), kMostTexts);
      for (std::size_t i = 0; i < kMostTexts; ++i) ASSERT_EQ(one.annotations[i].text, std::to_string(i));
    }
  }
}

TEST(Annotations, KeepTheFirstOfEachColumn) {
  Annotations all;
  for (std::uint64_t i = 0; i < 9; ++i) {
    all.add({i, kLabels, std::string(1, static_cast<char>('a' + i % 3))});
    all.add({i, kName, std::string(1, static_cast<char>('a' + i))});
  }
  EXPECT_FALSE(all.keep_first(kLabels, 3));
  EXPECT_EQ(all.list_of(kLabels).size(), 3u);
  EXPECT_EQ(all.list_of(kName).size(), 3u);
  EXPECT_TRUE(all.keep_first(kLabels, 2));
  EXPECT_EQ(all.list_of(kLabels), (std::vector<std::string_view>{"a", "b"}));
  EXPECT_EQ(all.first_of(kName), "a");
}

TEST(Annotations, OfALongListAreThereOnce) {
  Annotations all;
  std::vector<std::string> texts;
  for (std::uint64_t i = 0; i < 300; ++i) {
    all.add({i, kLabels, std::to_string(i % 100)});
    if (i < 100) texts.push_back(std::to_string(i));
  }
  EXPECT_TRUE(std::ranges::equal(all.list_of(kLabels), texts));
}

TEST(Annotations, OfAColumnAreAListOrTheFirst) {
  Annotations all;
  EXPECT_EQ(all.first_of(kName), "");
  for (const auto& [packet, column, text] :
       {std::tuple(1, kLabels, "b"), std::tuple(1, kName, "x"), std::tuple(2, kLabels, "a"),
        std::tuple(3, kLabels, "b"), std::tuple(4, kName, "y")}) {
    all.add({static_cast<std::uint64_t>(packet), column, text});
  }
  EXPECT_EQ(all.first_of(kName), "x");
  EXPECT_EQ(all.list_of(kLabels), (std::vector<std::string_view>{"b", "a"}));
}

}  // namespace
}  // namespace warpmeter
