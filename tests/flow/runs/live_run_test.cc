// Flows sorted where they are: all of them once, in any order that runs have.
#include "flow/runs/sorted_runs.h"

#include <gtest/gtest.h>

#include <random>

#include "core/biflow_key.h"
#include "flow/runs/annotation_parts.h"
#include "flow/runs/live_records.h"
#include "support/annexes.h"
#include "support/record_maker.h"

namespace warpmeter {
namespace {

using test::all_of;
using test::LiveRecords;
using test::test_record;

std::vector<Partial> in_order(const std::shared_ptr<const LiveRun>& run) {
  LiveRunCursor cursor(run, 0, run->size());
  return all_of(cursor);
}

std::vector<Partial> random_flows(std::size_t count, std::uint64_t seed) {
  std::vector<Partial> flows = test::random_records(count, seed);
  std::mt19937_64 random(seed);
  for (Partial& flow : flows) {
    if (flow.key.version == 6) flow.key.destination[15] = static_cast<std::uint8_t>(random());  // behind the prefix
    if (random() % 2) flow.key = reversed(flow.key);
  }
  return flows;
}

TEST(LiveRun, OfNothingIsEmpty) {
  EXPECT_EQ(LiveRun({}, arrival_order).size(), 0u);
  EXPECT_EQ(LiveRun({std::make_shared<LiveRecords>(std::vector<Partial>())}, arrival_order).size(), 0u);
}

TEST(LiveRun, SortsAllFlowsOfAllOwners) {
  for (const RecordOrder order : {arrival_order, biflow_arrival_order}) {
    for (const std::size_t count : {1, 9, 1000}) {
      const auto some = random_flows(count, count);
      auto more = random_flows(2 * count, count + 1);
      for (Partial& flow : more) flow.arrival += count;
      auto all = some;
      all.insert(all.end(), more.begin(), more.end());
      const std::vector<std::shared_ptr<const LiveFlows>> owners = {std::make_shared<LiveRecords>(some),
                                                                    std::make_shared<LiveRecords>(more)};
      const auto run = std::make_shared<const LiveRun>(owners, order);
      ASSERT_EQ(run->size(), all.size());
      EXPECT_TRUE(test::same_records(test::sorted(all, order), in_order(run)));
    }
  }
}

TEST(LiveRun, CursorGivesAPart) {
  const std::vector<Partial> flows = {test_record(3, 0, 0, 1), test_record(1, 0, 0, 2), test_record(2, 0, 0, 3)};
  const std::vector<std::shared_ptr<const LiveFlows>> owners = {std::make_shared<LiveRecords>(flows)};
  const auto run = std::make_shared<const LiveRun>(owners, arrival_order);
  LiveRunCursor cursor(run, 1, 2);
  ASSERT_NE(cursor.head(), nullptr);
  EXPECT_EQ(cursor.head()->arrival, 3u);
  cursor.advance();
  EXPECT_EQ(cursor.head(), nullptr);
}

class WithAnnexes : public LiveRecords {
 public:
  WithAnnexes(std::vector<Partial> flows, std::vector<Annex> annexes)
      : LiveRecords(std::move(flows)), annexes_(std::move(annexes)) {}
  bool have_annexes() const override { return true; }
  const Annex& annex_of(std::size_t number) const override { return annexes_[number / 3]; }

 private:
  const std::vector<Annex> annexes_;
};

TEST(LiveRun, EachFlowHasItsAnnexBehindIt) {
  std::mt19937_64 random(5);
  const std::vector<Partial> flows = {test_record(3, 0, 0, 1), test_record(1, 0, 0, 2), test_record(2, 0, 0, 3)};
  std::vector<Annex> annexes;
  for (std::size_t i = 0; i < flows.size(); ++i) annexes.push_back(test::random_annex(random));
  const std::vector<std::shared_ptr<const LiveFlows>> owners = {std::make_shared<WithAnnexes>(flows, annexes)};
  const std::vector<Partial> all = in_order(std::make_shared<const LiveRun>(owners, arrival_order));
  ASSERT_EQ(all.size(), 6u);
  for (std::size_t i = 0; i < all.size(); i += 2) {
    EXPECT_FALSE(is_annotation(all[i]));
    ASSERT_TRUE(is_annotation(all[i + 1]));
    EXPECT_EQ(arrival_order(all[i], all[i + 1]), -1);
    Annotations noted;
    add_part(noted, all[i + 1]);
    EXPECT_EQ(*noted.annex(false), annexes[all[i].arrival - 1]);
  }
}

}  // namespace
}  // namespace warpmeter
