// The run store: in memory up to its limit, then in run files of several levels; from any thread.
#include "flow/runs/run_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <thread>

#include "support/record_maker.h"
#include "support/scratch_folder.h"
#include "support/thrown_text.h"
#include "warpmeter/status.h"

namespace warpmeter {
namespace {

using test::all_of;
using test::ScratchFolder;

constexpr std::uint64_t kPlenty = 1 << 30;

std::size_t open_files() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

// Records in chunks of `size`.
void add_all(RunStore& store, const std::vector<Partial>& records, std::size_t size) {
  for (std::size_t at = 0; at < records.size(); at += size) {
    const auto end = records.begin() + static_cast<std::ptrdiff_t>(std::min(at + size, records.size()));
    store.add({records.begin() + static_cast<std::ptrdiff_t>(at), end});
  }
}

TEST(RunStore, WithNothingAddedIsEmpty) {
  const ScratchFolder folder;
  for (unsigned threads : {0, 1, 4}) {
    RunStore store({folder.path(), output_order, kPlenty});
    EXPECT_EQ(store.sorted(threads)->in({})->head(), nullptr);
  }
}

TEST(RunStore, StaysInMemoryBelowItsLimit) {
  RunStore store({"/nowhere/at/all", output_order, 10 * sizeof(Partial)});
  const auto records = test::random_records(9, 1);
  add_all(store, records, 2);
  EXPECT_EQ(store.runs_written(), 0u);
  EXPECT_TRUE(test::same_records(test::sorted(records), all_of(*store.sorted(2)->in({}))));
}

TEST(RunStore, KeepsTheLastInMemoryWhateverTheLimit) {
  RunStore store({"/nowhere/at/all", output_order, 10 * sizeof(Partial)});
  const auto records = test::random_records(50, 1);
  add_all(store, {records.begin(), records.begin() + 9}, 2);
  store.add_last({records.begin() + 9, records.end()});
  EXPECT_EQ(store.runs_written(), 0u);
  EXPECT_TRUE(test::same_records(test::sorted(records), all_of(*store.sorted(3)->in({}))));
}

TEST(RunStore, WhatCannotBeWrittenStaysInMemory) {
  const auto records = test::random_records(95, 1);
  for (const bool is_taken : {false, true}) {
    RunStore store({"/nowhere/at/all", output_order, 10 * sizeof(Partial)});
    std::size_t failures = 0;
    for (std::size_t at = 0; at < records.size(); at += 5) {
      const auto from = records.begin() + static_cast<std::ptrdiff_t>(at);
      try {
        store.add({from, from + 5});
      } catch (const Error&) {
        ++failures;
      }
    }
    EXPECT_EQ(failures, 9u);
    const std::unique_ptr<RunStore> taken = is_taken ? store.take() : nullptr;
    RunStore& all = is_taken ? *taken : store;
    EXPECT_TRUE(test::same_records(test::sorted(records), all_of(*all.sorted(2)->in({}))));
  }
}

TEST(RunStore, WhatIsTakenIsApartFromWhatComesLater) {
  const ScratchFolder folder;
  RunStore store({folder.path(), output_order, 10 * sizeof(Partial), 4});
  EXPECT_EQ(store.take(), nullptr);
  const auto first = test::random_records(95, 1), second = test::random_records(7, 2);
  add_all(store, first, 5);
  const std::unique_ptr<RunStore> taken = store.take();
  ASSERT_TRUE(taken);
  EXPECT_EQ(store.take(), nullptr);
  add_all(store, second, 5);
  EXPECT_TRUE(test::same_records(test::sorted(first), all_of(*taken->sorted(2)->in({}))));
  EXPECT_TRUE(test::same_records(test::sorted(second), all_of(*store.sorted(2)->in({}))));
}

TEST(RunStore, NothingIsLostOrTwiceWhereOneTakesWhileOthersAdd) {
  const ScratchFolder folder;
  RunStore store({folder.path(), output_order, 10 * sizeof(Partial), 2});
  const auto records = test::random_records(4000, 3);
  std::vector<Partial> got;
  const auto keep = [&](RunStore& from) {
    for (const Partial& partial : all_of(*from.sorted(1)->in({}))) got.push_back(partial);
  };
  {
    std::vector<std::jthread> adding;
    for (std::size_t t = 0; t < 4; ++t) {
      adding.emplace_back([&, t] {
        add_all(store,
                {records.begin() + static_cast<std::ptrdiff_t>(1000 * t),
                 records.begin() + static_cast<std::ptrdiff_t>(1000 * t + 1000)},
                9);
      });
    }
    for (int i = 0; i < 200; ++i) {
      if (const std::unique_ptr<RunStore> taken = store.take()) keep(*taken);
    }
  }
  keep(store);
  EXPECT_TRUE(test::same_records(test::sorted(records), test::sorted(got)));
}

TEST(RunStore, SpillsAtItsLimit) {
  const ScratchFolder folder;
  RunStore store({folder.path(), output_order, 10 * sizeof(Partial)});
  const auto records = test::random_records(10, 1);
  add_all(store, records, 5);
  EXPECT_EQ(store.runs_written(), 1u);
  EXPECT_EQ(folder.entries(), 0u);  // run files have no names
  EXPECT_TRUE(test::same_records(test::sorted(records), all_of(*store.sorted(1)->in({}))));
}

TEST(RunStore, ToldNoRoomForRunFilesItSaysSo) {
  RunStore store({"/nowhere/at/all", output_order, 1});
  const std::string text = test::thrown_text([&] { store.add(test::random_records(1, 1)); });
  EXPECT_NE(text.find("/nowhere/at/all"), std::string::npos);
}

// With a fan-in of 2, every second run makes one of the next level: 1, 3, 4, 7 runs after 1, 2, 3, 4 chunks.
TEST(RunStore, MergesALevelWhenItIsFull) {
  const ScratchFolder folder;
  RunStore store({folder.path(), output_order, 1, 2});
  const auto records = test::random_records(4, 2);
  const std::uint64_t written[] = {1, 3, 4, 7};
  for (std::size_t i = 0; i < 4; ++i) {
    store.add({records[i]});
    EXPECT_EQ(store.runs_written(), written[i]);
  }
  EXPECT_TRUE(test::same_records(test::sorted(records), all_of(*store.sorted(1)->in({}))));
}

// Four levels of three files would be twelve open ones.
TEST(RunStore, MergesAllLevelsWhenThereAreTooManyFiles) {
  const ScratchFolder folder;
  RunStore store({.folder = folder.path(), .order = output_order, .memory_limit = 1, .fan_in = 4, .most_files = 4});
  const auto records = test::random_records(100, 2);
  const std::size_t before = open_files();
  for (const auto& record : records) {
    store.add({record});
    ASSERT_LE(open_files(), before + 4);
  }
  EXPECT_TRUE(test::same_records(test::sorted(records), all_of(*store.sorted(1)->in({}))));
}

struct Levels {
  std::size_t records, chunk, fan_in;
  unsigned threads;
};

class RunStoreLevels : public testing::TestWithParam<Levels> {};

TEST_P(RunStoreLevels, GiveEverythingBackSorted) {
  const ScratchFolder folder;
  const auto records = test::random_records(GetParam().records, 3);
  for (const std::uint64_t limit : {std::uint64_t{1}, 70 * sizeof(Partial), kPlenty}) {
    RunStore store({folder.path(), output_order, limit, GetParam().fan_in});
    add_all(store, records, GetParam().chunk);
    ASSERT_TRUE(test::same_records(test::sorted(records), all_of(*store.sorted(GetParam().threads)->in({})))) << limit;
  }
}

INSTANTIATE_TEST_SUITE_P(RunStore, RunStoreLevels,
                         testing::Values(Levels{100, 1, 2, 1}, Levels{100, 1, 3, 2}, Levels{100, 1, 4, 7},
                                         Levels{1000, 7, 2, 3}, Levels{1000, 7, 3, 1}, Levels{1000, 50, 4, 2},
                                         Levels{1000, 1000, 2, 2}, Levels{3000, 1, 0, 4}));

class RunStoreThreads : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RunStoreThreads, MayAddAtTheSameTime) {
  const ScratchFolder folder;
  constexpr std::size_t kThreads = 4;
  const auto records = test::random_records(4000, 5);
  RunStore store({folder.path(), output_order, GetParam(), 3});
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t at = 10 * t; at < records.size(); at += 10 * kThreads) {
          store.add({records.begin() + static_cast<std::ptrdiff_t>(at),
                     records.begin() + static_cast<std::ptrdiff_t>(at) + 10});
        }
      });
    }
  }
  EXPECT_TRUE(test::same_records(test::sorted(records), all_of(*store.sorted(kThreads)->in({}))));
}

INSTANTIATE_TEST_SUITE_P(RunStore, RunStoreThreads, testing::Values(1, 100 * sizeof(Partial), kPlenty));

}  // namespace
}  // namespace warpmeter
