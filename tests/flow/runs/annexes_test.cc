// The annex of a flow on its way beside partials: the first packet's counts, with the first SYN, of each direction, and
// it takes bounded memory where many flows become one.
#include <gtest/gtest.h>

#include <random>

#include "core/biflow_key.h"
#include "flow/runs/annotation_parts.h"
#include "flow/runs/join.h"
#include "flow/runs/record_cursors.h"
#include "flow/runs/run_store.h"
#include "support/annexes.h"
#include "support/record_maker.h"
#include "support/scratch_folder.h"

namespace warpmeter {
namespace {

constexpr Timeouts kTimeoutsOfAnnexes{30, 200};

Annex with_ttl(std::int64_t ttl, std::optional<std::int64_t> syn_window = {}) {
  Annex annex;
  annex.set_number(AnnexField::ttl, ttl);
  if (syn_window) annex.set_number(AnnexField::syn_window, *syn_window);
  return annex;
}

class NotedAnnexes {
 public:
  explicit NotedAnnexes(RecordOrder order, std::uint64_t memory = 1 << 20)
      : runs_(RunStoreOptions{folder_.path(), order, memory, 2}) {}

  void flow(const FlowKey& key, std::int64_t start, std::uint64_t arrival, Removal removal = Removal::none) {
    Partial part = test::test_record(0, start, start + 5, arrival);
    part.key = key;
    part.removal = removal;
    runs_.add({part});
  }
  void annex(const FlowKey& key, const Annex& annex, std::uint64_t packet) {
    FlowRecord flow{.key = key};
    flow.arrival = packet;
    runs_.add({annex_part(flow, annex, packet)});
  }
  std::unique_ptr<RecordCursor> joined() {
    sorted_ = runs_.sorted(1);
    return std::make_unique<Join>(sorted_->in({}), kTimeoutsOfAnnexes);
  }

 private:
  const test::ScratchFolder folder_;
  RunStore runs_;
  std::unique_ptr<SortedRuns> sorted_;
};

TEST(Annexes, OfPartsThatAreJoinedTheFirstCounts) {
  NotedAnnexes noted(arrival_order);
  const FlowKey key = test::numbered_key(1);
  noted.flow(key, 10, 3, Removal::evicted);
  noted.annex(key, with_ttl(1), 3);
  noted.flow(key, 16, 9, Removal::evicted);
  noted.annex(key, with_ttl(2, 77), 9);
  noted.flow(key, 22, 12);
  noted.annex(key, with_ttl(3, 88), 12);
  noted.flow(key, 900, 20);
  noted.annex(key, with_ttl(4), 20);
  AnnotatedRecords records(noted.joined());
  ASSERT_TRUE(records.head());
  ASSERT_TRUE(records.annotations().annex(false));
  EXPECT_EQ(records.annotations().annex(false)->number(AnnexField::ttl), 1);
  EXPECT_EQ(records.annotations().annex(false)->number(AnnexField::syn_window), 77);
  EXPECT_FALSE(records.annotations().annex(true));
  records.advance();
  ASSERT_TRUE(records.head());
  EXPECT_EQ(records.annotations().annex(false)->number(AnnexField::ttl), 4);
  EXPECT_FALSE(records.annotations().annex(false)->has_syn());
}

// Whichever direction is the initiator's.
TEST(Annexes, OfBiflowsBelongToTheirDirections) {
  for (const bool first_opens : {false, true}) {
    NotedAnnexes noted(biflow_arrival_order, 1);  // through run files
    const FlowKey key = test::numbered_key(1), other = reversed(key);
    const bool is_first = compare(key, other) < 0;
    for (const FlowKey& each : {key, other}) {
      const bool first = (each == key) == is_first;
      noted.flow(each, first == first_opens ? 10 : 11, first == first_opens ? 1 : 2);
      noted.annex(each, with_ttl(each == key ? 5 : 6), first == first_opens ? 1 : 2);
    }
    auto ordered = std::make_unique<OutputOrder>(noted.joined(), RunStoreOptions{"/tmp", biflow_output_order, 1 << 20});
    AnnotatedRecords records(std::make_unique<Biflows>(std::move(ordered), 50));
    ASSERT_TRUE(records.head() && records.reverse());
    const std::int64_t of_forward = records.head()->key == key ? 5 : 6;
    EXPECT_EQ(records.annotations().annex(false)->number(AnnexField::ttl), of_forward);
    EXPECT_EQ(records.annotations().annex(true)->number(AnnexField::ttl), 11 - of_forward);
    records.advance();
    EXPECT_FALSE(records.head());
  }
}

TEST(Annexes, OfManyFlowsOfAKeyTakeBoundedMemory) {
  PartsBehind parts;
  FlowRecord flow{.key = test::numbered_key(1)};
  for (std::uint64_t packet = 1; packet <= 100'000; ++packet) {
    flow.arrival = packet;
    const std::optional<std::int64_t> window = packet < 5000 ? std::nullopt : std::optional<std::int64_t>(7);
    parts.add(annex_part(flow, with_ttl(9, window), packet));
    parts.bound();
    ASSERT_LT(parts.size(), 10'000u);
  }
  parts.give_to(test::test_record(1, 0, 1, 1));
  Annotations noted;
  for (const FlowRecord* part = parts.next(); part; part = parts.next()) add_part(noted, *part);
  EXPECT_EQ(noted.annex(false)->number(AnnexField::ttl), 9);
  EXPECT_EQ(noted.annex(false)->number(AnnexField::syn_window), 7);
}

TEST(Annexes, ComeBackFromBehindAFlow) {
  std::mt19937_64 random(4);
  Annotations noted, again;
  const Annex forward = test::random_annex(random), reverse = test::random_annex(random);
  noted.add({7, 0, "a-label"});
  noted.add_annex(false, forward);
  noted.add_annex(true, reverse);
  std::vector<Partial> parts;
  append_behind(parts, test::test_record(1, 0, 1, 1), noted);
  for (const Partial& part : parts) add_part(again, part);
  EXPECT_EQ(*again.annex(false), forward);
  EXPECT_EQ(*again.annex(true), reverse);
  EXPECT_EQ(again.first_of(0), "a-label");
  EXPECT_EQ(*noted.of_direction(true).annex(false), reverse);
  EXPECT_FALSE(noted.of_direction(true).annex(true));
}

}  // namespace
}  // namespace warpmeter
