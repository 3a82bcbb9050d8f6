// Finding, growing, letting go and the budget of the flow table.
#include "flow/meter/flow_table.h"

#include <gtest/gtest.h>

#include <memory_resource>
#include <random>
#include <unordered_set>

#include "core/flow_hash.h"
#include "support/flow_key_maker.h"

namespace warpmeter {
namespace {

using test::numbered_key;

constexpr std::uint64_t kSeed = 99;
constexpr std::uint64_t kPlenty = 64 << 20;

std::uint64_t hash_of(std::uint32_t number) { return hash_flow(numbered_key(number), kSeed).hash; }

CompactFlowState* find(FlowTable& table, std::uint32_t number) {
  return table.find(numbered_key(number), hash_of(number));
}

// False if the budget allows no more.
bool insert(FlowTable& table, std::uint32_t number) {
  if (!table.has_room() && !(table.grow() && table.has_room())) return false;
  table.insert(numbered_key(number), hash_of(number)).arrival = number;
  return true;
}

std::uint32_t fill_up(FlowTable& table) {
  std::uint32_t number = 0;
  while (insert(table, number)) ++number;
  return number;
}

TEST(FlowTable, FindsWhatWasInserted) {
  FlowTable table(kPlenty, kSeed);
  EXPECT_EQ(find(table, 1), nullptr);
  ASSERT_TRUE(insert(table, 1));
  ASSERT_NE(find(table, 1), nullptr);
  EXPECT_EQ(find(table, 1)->arrival, 1u);
  EXPECT_TRUE(find(table, 1)->key == numbered_key(1));
  EXPECT_EQ(find(table, 2), nullptr);
}

TEST(FlowTable, FindsAllAfterManyGrowths) {
  FlowTable table(kPlenty, kSeed);
  constexpr std::uint32_t kMany = 50'000;
  for (std::uint32_t i = 0; i < kMany; ++i) ASSERT_TRUE(insert(table, i));
  EXPECT_EQ(table.live(), kMany);
  for (std::uint32_t i = 0; i < kMany; ++i) {
    ASSERT_NE(find(table, i), nullptr) << i;
    ASSERT_EQ(find(table, i)->arrival, i);
  }
  for (std::uint32_t i = kMany; i < 2 * kMany; ++i) ASSERT_EQ(find(table, i), nullptr) << i;
}

TEST(FlowTable, StatesStayWhereTheyAreWhenItGrows) {
  FlowTable table(kPlenty, kSeed);
  ASSERT_TRUE(insert(table, 0));
  const CompactFlowState* first = find(table, 0);
  for (std::uint32_t i = 1; i < 5000; ++i) ASSERT_TRUE(insert(table, i));
  EXPECT_EQ(find(table, 0), first);
}

TEST(FlowTable, FirstIndexTakesThreeQuarters) {
  FlowTable table(kPlenty, kSeed);
  for (std::uint32_t i = 0; i < 768; ++i) {
    ASSERT_TRUE(table.has_room());
    table.insert(numbered_key(i), hash_of(i));
  }
  EXPECT_FALSE(table.has_room());
  EXPECT_TRUE(table.grow());
  EXPECT_TRUE(table.has_room());
}

// 9,120 bytes: an index of 128 entries takes 768 with its predecessor, what is left holds 52 states of 160. Twice the
// index would leave room for 47.
TEST(FlowTable, BudgetDecidesHowManyStates) {
  FlowTable table(9'120, kSeed);
  EXPECT_EQ(fill_up(table), 52u);
  EXPECT_FALSE(table.grow());
  for (std::uint32_t i = 0; i < 52; ++i) ASSERT_NE(find(table, i), nullptr) << i;
  EXPECT_EQ(find(table, 52), nullptr);
}

TEST(FlowTable, AnnexesStandBehindTheirStatesAndCountForTheBudget) {
  FlowTable without(64 << 10, kSeed), with(64 << 10, kSeed, *std::pmr::new_delete_resource(), true);
  EXPECT_FALSE(without.has_annexes());
  ASSERT_TRUE(with.has_annexes());
  const std::uint32_t all = fill_up(with);
  EXPECT_LT(all * with.bytes_a_state(), 64u << 10);
  EXPECT_GE(fill_up(without), all * 3 / 2);
  for (std::uint32_t i = 0; i < all; ++i) FlowTable::annex_of(*find(with, i)).window = static_cast<std::uint16_t>(i);
  for (std::uint32_t i = 0; i < all; ++i) {
    ASSERT_TRUE(find(with, i));
    EXPECT_EQ(FlowTable::annex_of(*find(with, i)).window, i);
  }
}

TEST(FlowTable, WithoutBudgetSixteenStates) {
  FlowTable table(0, kSeed);
  EXPECT_EQ(fill_up(table), 16u);
}

TEST(FlowTable, StatesAndIndexStayWithinTheBudget) {
  for (std::uint64_t memory : {30'000u, 100'000u, 1'000'000u, 3'000'000u}) {
    FlowTable table(memory, kSeed);
    const std::uint64_t states = fill_up(table);
    EXPECT_LE(states * (sizeof(CompactFlowState) + 4), memory);
    EXPECT_GE(states * 200, memory * 3 / 4) << "wasteful";
  }
}

TEST(FlowTable, ReleasedStatesAreGoneAndUsedAgain) {
  FlowTable table(kPlenty, kSeed);
  for (std::uint32_t i = 0; i < 500; ++i) ASSERT_TRUE(insert(table, i));
  for (std::size_t number = 1; number < 500; number += 2) table.release(number);
  table.rebuild_index();
  EXPECT_EQ(table.live(), 250u);
  for (std::uint32_t i = 0; i < 500; ++i) ASSERT_EQ(find(table, i) != nullptr, i % 2 == 0) << i;
  for (std::uint32_t i = 1000; i < 1250; ++i) ASSERT_TRUE(insert(table, i));
  EXPECT_EQ(table.states(), 500u);
  for (std::uint32_t i = 1000; i < 1250; ++i) ASSERT_NE(find(table, i), nullptr) << i;
  for (std::uint32_t i = 0; i < 500; i += 2) ASSERT_NE(find(table, i), nullptr) << i;
}

TEST(FlowTable, InUseBitTellsWhichStatesLive) {
  FlowTable table(kPlenty, kSeed);
  for (std::uint32_t i = 0; i < 3; ++i) ASSERT_TRUE(insert(table, i));
  table.release(1);
  table.rebuild_index();
  EXPECT_TRUE(table.state(0).bits & kInUse);
  EXPECT_FALSE(table.state(1).bits & kInUse);
  EXPECT_TRUE(table.state(2).bits & kInUse);
}

TEST(FlowTable, FullBudgetHasRoomAgainAfterARelease) {
  FlowTable table(9'120, kSeed);
  ASSERT_EQ(fill_up(table), 52u);
  table.release(7);
  table.rebuild_index();
  EXPECT_TRUE(table.has_room());
  EXPECT_TRUE(insert(table, 1000));
  EXPECT_FALSE(table.has_room());
  EXPECT_EQ(find(table, 7), nullptr);
}

// The last bucket of the index, so that probing wraps around; equal tags, so that only the key tells.
TEST(FlowTable, EqualHashesAreToldApartByTheKey) {
  FlowTable table(kPlenty, kSeed);
  constexpr std::uint64_t kEveryHash = 0xffff'ffff'ffff'ffff;
  for (std::uint32_t i = 0; i < 200; ++i) table.insert(numbered_key(i), kEveryHash).arrival = i;
  for (std::uint32_t i = 0; i < 200; ++i) {
    ASSERT_NE(table.find(numbered_key(i), kEveryHash), nullptr);
    ASSERT_EQ(table.find(numbered_key(i), kEveryHash)->arrival, i);
  }
  EXPECT_EQ(table.find(numbered_key(200), kEveryHash), nullptr);
}

TEST(FlowTable, AgreesWithASetOverManyRounds) {
  std::mt19937_64 random(4);
  FlowTable table(2 << 20, kSeed);
  std::unordered_set<std::uint32_t> live;
  for (int round = 0; round < 30; ++round) {
    for (int i = 0; i < 300; ++i) {
      const auto number = static_cast<std::uint32_t>(random() % 5000);
      ASSERT_EQ(find(table, number) != nullptr, live.contains(number)) << number;
      if (!live.contains(number) && insert(table, number)) live.insert(number);
    }
    for (std::size_t number = 0; number < table.states(); ++number) {
      const CompactFlowState& state = table.state(number);
      if (!(state.bits & kInUse) || random() % 4) continue;
      live.erase(static_cast<std::uint32_t>(state.arrival));
      table.release(number);
    }
    table.rebuild_index();
    ASSERT_EQ(table.live(), live.size());
  }
}

// In an index that is as full as it may be, so that buckets overflow all the time.
TEST(FlowTable, AgreesWithASetWhereOneLeavesAtATime) {
  std::mt19937_64 random(6);
  for (const std::uint64_t memory : {std::uint64_t{12'000}, std::uint64_t{200'000}}) {
    FlowTable table(memory, kSeed);
    std::unordered_set<std::uint32_t> live;
    for (int round = 0; round < 20'000; ++round) {
      const auto number = static_cast<std::uint32_t>(random() % 3000);
      CompactFlowState* const found = find(table, number);
      ASSERT_EQ(found != nullptr, live.contains(number)) << number;
      if (found && random() % 4 == 0) {
        std::size_t at = 0;
        while (&table.state(at) != found) ++at;
        table.erase(at);
        live.erase(number);
      } else if (!found && insert(table, number)) {
        live.insert(number);
        EXPECT_EQ(&table.state(table.newest()), find(table, number));
      }
      ASSERT_EQ(table.live(), live.size());
    }
    for (std::uint32_t i = 0; i < 3000; ++i) ASSERT_EQ(find(table, i) != nullptr, live.contains(i)) << i;
    EXPECT_GT(live.size(), 40u);
  }
}

}  // namespace
}  // namespace warpmeter
