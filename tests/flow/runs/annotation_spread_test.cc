// Which Flow Records an annotation comes out with, however far it reaches, and whatever was evicted in between.
#include "flow/runs/annotation_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "flow/runs/join.h"
#include "flow/runs/live_annotations.h"
#include "flow/runs/run_store.h"
#include "support/record_maker.h"
#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

using Kind = AnnotationReach::Kind;

// Nothing is open longer than this: Flow Records of one key that are evicted go on within it.
constexpr Timeouts kSpreadTimeouts{.idle_ns = 50, .active_ns = 0};

class SpreadTest : public testing::Test {
 protected:
  // A Flow Record whose first packet has this number, which is its time as well.
  void record(std::uint64_t first, std::uint32_t flow = 0) { add(first, flow, Removal::none); }
  // A part of one, which was evicted: the next part goes on, if it comes soon.
  void evicted(std::uint64_t first, std::uint32_t flow = 0) { add(first, flow, Removal::evicted); }

  void note(std::uint64_t packet, const std::string& text, const AnnotationReach& reach = {}, std::uint32_t flow = 0) {
    log_.add(test::numbered_key(flow, 17), {packet, 0, text}, reach, packet);
  }
  void note_several(std::uint64_t packet, const std::string& texts, const AnnotationReach& reach) {
    log_.add(test::numbered_key(0, 17), {packet, Annotation::kSeveralColumns, texts}, reach, packet);
  }
  void begin(std::uint64_t packet, std::uint64_t connection, std::uint32_t flow = 0) {
    note(packet, "", {Kind::begin, connection}, flow);
  }
  void end(std::uint64_t packet, std::uint64_t connection, std::uint32_t flow = 0) {
    note(packet, "", {Kind::end, connection}, flow);
  }

  // Each Flow Record by its first packet, with its texts: "1 a b, 5 b".
  std::string records() {
    log_.flush();
    const auto sorted = runs_.sorted(1);
    std::string all;
    for (const KeyRange& range : sorted->cut(2)) {
      AnnotatedRecords records(std::make_unique<Join>(sorted->in(range), kSpreadTimeouts));
      for (; records.head(); records.advance()) {
        all += (all.empty() ? "" : ", ") + std::to_string(records.head()->arrival);
        for (const std::string_view text : records.annotations().list_of(0)) all += " " + std::string(text);
      }
    }
    return all;
  }
  // Of the only Flow Record: columns behind the first one that have this text.
  std::size_t columns_with(const std::string& text) {
    log_.flush();
    const auto sorted = runs_.sorted(1);
    AnnotatedRecords records(std::make_unique<Join>(sorted->in({}), kSpreadTimeouts));
    return static_cast<std::size_t>(std::ranges::count_if(
        records.annotations().all(), [&](const Annotation& one) { return one.column != 0 && one.text == text; }));
  }

 private:
  void add(std::uint64_t first, std::uint32_t flow, Removal removal) {
    const auto time = static_cast<std::int64_t>(first);
    Partial partial = test::test_record(flow, time, time, first);
    partial.key = test::numbered_key(flow, 17);
    partial.removal = removal;
    runs_.add(PartialChunk{partial});
  }

  const test::ScratchFolder folder_;
  RunStore runs_{RunStoreOptions{folder_.path(), arrival_order, 1 << 20, 1}};
  AnnotationLog log_{runs_};
};

TEST_F(SpreadTest, OfARecordIsOfThatAlone) {
  for (const std::uint64_t first : {1, 5, 9}) record(first);
  note(5, "a");
  note(8, "b");
  EXPECT_EQ(records(), "1, 5 a b, 9");
}

TEST_F(SpreadTest, OfAConnectionIsOfTheOpenRecordAndLaterOnes) {
  for (const std::uint64_t first : {1, 5, 9, 13}) record(first);
  begin(1, 3);
  note(7, "a", {Kind::connection, 3});
  note(10, "b", {Kind::connection, 3});
  EXPECT_EQ(records(), "1, 5 a, 9 a b, 13 a b");
}

TEST_F(SpreadTest, OfAConnectionEndsWithIt) {
  for (const std::uint64_t first : {1, 5, 9, 13}) record(first);
  begin(1, 3);
  note(2, "a", {Kind::connection, 3});
  end(8, 3);
  EXPECT_EQ(records(), "1 a, 5 a, 9, 13");
}

TEST_F(SpreadTest, OfAConnectionIsOfNoRecordThatBeginsWithThePacketBehindIt) {
  for (const std::uint64_t first : {1, 5}) record(first);
  begin(1, 3);
  note(2, "a", {Kind::connection, 3});
  end(5, 3);
  EXPECT_EQ(records(), "1 a, 5");
}

// One that was pushed out for want of memory goes on as another one: in the Flow Record that it began, and in one of
// which nothing was noted before.
TEST_F(SpreadTest, OfAConnectionThatJoinsIsOfTheRecordOfOneThatWasPushedOut) {
  for (const std::uint64_t first : {1, 9}) record(first);
  begin(1, 3);
  note(2, "a", {Kind::connection, 3});
  note(4, "", {Kind::pushed_out, 3});
  note(5, "", {Kind::join, 4});
  note(6, "b", {Kind::connection, 4});
  EXPECT_EQ(records(), "1 a b, 9 b");
}

TEST_F(SpreadTest, OfAConnectionThatJoinsIsOfTheRecordOfOneThatWasNotNoted) {
  for (const std::uint64_t first : {1, 9}) record(first);
  note(5, "", {Kind::join, 4});
  note(6, "b", {Kind::connection, 4});
  EXPECT_EQ(records(), "1 b, 9 b");
}

TEST_F(SpreadTest, OfAConnectionThatJoinsIsOfNoRecordOfOneThatEndedOrIsFollowedByAnother) {
  for (const std::uint64_t first : {1, 20}) record(first);
  begin(1, 3);
  note(2, "a", {Kind::connection, 3});
  end(4, 3);
  note(5, "", {Kind::join, 4});
  note(6, "b", {Kind::connection, 4});
  note(7, "", {Kind::pushed_out, 4});
  begin(20, 5);
  note(21, "c", {Kind::connection, 5});
  EXPECT_EQ(records(), "1 a, 20 c");
}

// It belongs to the one that it began in, as long as it goes on.
TEST_F(SpreadTest, OfAConnectionIsOfNoRecordThatBeganInAnEarlierOne) {
  for (const std::uint64_t first : {1, 9, 20}) record(first);
  begin(1, 3);
  note(2, "a", {Kind::connection, 3});
  end(4, 3);
  begin(5, 4);
  note(5, "b", {Kind::connection, 4});
  note(6, "c");
  end(15, 4);
  begin(18, 5);
  note(19, "d", {Kind::connection, 5});
  EXPECT_EQ(records(), "1 a c, 9 b, 20 d");
}

// A Flow Record without any connection of note may have begun before one.
TEST_F(SpreadTest, OfAConnectionIsOfNoRecordFromBefore) {
  for (const std::uint64_t first : {1, 9}) record(first);
  begin(5, 3);
  note(6, "a", {Kind::connection, 3});
  EXPECT_EQ(records(), "1, 9 a");
}

TEST_F(SpreadTest, OfTheFirstPacketIsOfTheRecordThatBeginsWithIt) {
  for (const std::uint64_t first : {1, 5}) record(first);
  begin(1, 3);
  note(2, "a", {Kind::connection, 3});
  end(5, 3);
  begin(5, 4);
  note(5, "b", {Kind::connection, 4});
  EXPECT_EQ(records(), "1 a, 5 b");
}

// That a connection begins is noted once it has something, behind what its first packet brought its record.
TEST_F(SpreadTest, OfARecordStaysWhereItsConnectionIsMarkedLater) {
  for (const std::uint64_t first : {1, 5}) record(first);
  note(1, "a");
  begin(1, 3);
  note(2, "b", {Kind::connection, 3});
  end(5, 3);
  note(5, "c");
  begin(5, 4);
  note(5, "d", {Kind::connection, 4});
  EXPECT_EQ(records(), "1 a b, 5 c d");
}

TEST_F(SpreadTest, OfRecordsIsOfThoseThatBeginUpToAPacket) {
  for (const std::uint64_t first : {1, 5, 9, 13}) record(first);
  note(2, "a", {Kind::records, 9});
  note(6, "b", {Kind::records, 6});
  EXPECT_EQ(records(), "1 a, 5 a b, 9 a, 13");
}

TEST_F(SpreadTest, OfAConnectionComesBeforeWhatTheRecordBrings) {
  for (const std::uint64_t first : {1, 5}) record(first);
  begin(1, 3);
  note(1, "a", {Kind::connection, 3});
  note(2, "b", {Kind::connection, 3});
  note(5, "c");
  note(5, "a");
  EXPECT_EQ(records(), "1 a b, 5 a b c");
}

// To that Flow Record its own first packet has brought it, though an earlier one was the first that did.
TEST_F(SpreadTest, OfRecordsComesBehindWhatItsConnectionHadBefore) {
  for (const std::uint64_t first : {1, 9}) record(first);
  note(2, "a", {Kind::records, 9});
  begin(1, 3);
  note(5, "b", {Kind::connection, 3});
  EXPECT_EQ(records(), "1 a b, 9 b a");
}

TEST_F(SpreadTest, OfPartsIsOfTheFlowThatTheyMake) {
  evicted(1);
  evicted(5);
  record(9);
  record(200);
  begin(1, 3);
  note(2, "a", {Kind::connection, 3});
  note(6, "b");
  note(9, "c", {Kind::connection, 3});
  EXPECT_EQ(records(), "1 a b c, 200 a c");
}

TEST_F(SpreadTest, ConnectionThatBeginsWithAPartIsNotThatOfItsRecord) {
  evicted(1);
  record(9);
  record(200);
  begin(1, 3);
  note(2, "a", {Kind::connection, 3});
  end(9, 3);
  begin(9, 4);
  note(10, "b", {Kind::connection, 4});
  EXPECT_EQ(records(), "1 a, 200 b");
}

TEST_F(SpreadTest, OfAKeyIsOfNoOther) {
  for (const std::uint32_t flow : {0, 1, 2}) {
    record(1 + flow, flow);
    record(10 + flow, flow);
  }
  begin(1, 3, 0);
  note(1, "a", {Kind::connection, 3}, 0);
  note(2, "b", {Kind::records, 100}, 1);
  EXPECT_EQ(records(), "1 a, 10 a, 2 b, 11 b, 3, 12");
}

TEST_F(SpreadTest, WhatBeginsAConnectionMayHaveTextsOfIt) {
  for (const std::uint64_t first : {1, 5, 9, 13}) record(first);
  const std::string is_long(300, 'x');  // several parts
  note(5, "a," + is_long, {Kind::begin, 3});
  note(7, "b", {Kind::connection, 3});
  end(10, 3);
  EXPECT_EQ(records(), "1, 5 a " + is_long + " b, 9 a " + is_long + " b, 13");
}

TEST_F(SpreadTest, TextsOfSeveralColumnsComeApart) {
  record(1);
  std::string texts;
  Annotation::append(texts, 7, "x=1");
  for (const char* text : {"a", "b"}) Annotation::append(texts, 0, text);
  EXPECT_EQ(texts, "7=x=1,0=a,0=b");
  note_several(1, texts, {Kind::begin, 3});
  EXPECT_EQ(records(), "1 a b");
}

TEST(AnnotatedColumns, HaveTheirOwnTexts) {
  Annotations annotations;
  annotations.add_text(3, Annotation::kSeveralColumns, "7=x=1,0=", true);
  annotations.add_text(3, Annotation::kSeveralColumns, "a,8=y", false);
  const std::vector<Annotation> wanted = {{3, 7, "x=1"}, {3, 0, "a"}, {3, 8, "y"}};
  EXPECT_EQ(annotations.all(), wanted);
}

// However many texts of a list are left out, those of other columns are not.
TEST_F(SpreadTest, TextsOfSeveralColumnsStayWhereListsAreCut) {
  record(1);
  for (int i = 0; i < 300; ++i) note(1, "l" + std::to_string(i));
  std::string texts;
  for (std::uint32_t column = 1; column <= 400; ++column) Annotation::append(texts, column, "v");
  note_several(1, texts, {Kind::begin, 3});
  EXPECT_EQ(columns_with("v"), 400u);
}

}  // namespace
}  // namespace warpmeter
