// Arrays that grow and become trees, memory that comes back, and many flows against the plain model.
#include "flow/meter/hole_store.h"

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "flow/meter/hole_model.h"

namespace warpmeter {
namespace {

constexpr std::uint64_t kSlab = 16 << 10;

// `count` holes of 5 numbers each: [0,5) [10,15) ...
void add_holes(HoleStore& store, std::uint32_t& handle, std::int64_t count, std::int64_t first = 0) {
  for (std::int64_t i = first; i < first + count; ++i) store.add_highest(handle, 10 * i, 10 * i + 5);
}

TEST(HoleStore, FirstHoleGivesAHandleAndTheLastTakesIt) {
  HoleStore store;
  std::uint32_t handle = 0;
  store.add_highest(handle, 10, 20);
  ASSERT_NE(handle, 0u);
  EXPECT_EQ(store.missing_in_all(handle), 10);
  store.fill(handle, 12, 14);
  EXPECT_EQ(store.missing_in_all(handle), 8);
  EXPECT_EQ(store.missing_between(handle, 11, 15), 2);
  store.fill(handle, 0, 100);
  EXPECT_EQ(handle, 0u);
  EXPECT_EQ(store.dropped(), 0u);
}

TEST(HoleStore, AddsBelowTheLowest) {
  HoleStore store;
  std::uint32_t handle = 0;
  store.add_lowest(handle, 50, 60);
  store.add_lowest(handle, 40, 50);  // touches
  store.add_lowest(handle, 10, 11);
  EXPECT_EQ(store.missing_in_all(handle), 21);
  EXPECT_EQ(store.missing_between(handle, 0, 45), 6);
}

TEST(HoleStore, KeepsEveryHoleOnTheWayFromArraysToATree) {
  HoleStore store;
  std::uint32_t handle = 0;
  for (std::int64_t count = 1; count <= 1000; ++count) {
    add_holes(store, handle, 1, count - 1);
    ASSERT_EQ(store.missing_in_all(handle), 5 * count) << count;
    ASSERT_EQ(store.missing_between(handle, 0, 7), 5) << count;
  }
  EXPECT_EQ(store.dropped(), 0u);
}

TEST(HoleStore, TreeTakesHolesBelowToo) {
  HoleStore store;
  std::uint32_t handle = 0;
  add_holes(store, handle, 300);
  store.add_lowest(handle, -20, -10);
  EXPECT_EQ(store.missing_in_all(handle), 1510);
  EXPECT_EQ(store.missing_between(handle, -15, 2), 7);
}

// 256 holes fill the largest array; a fill that splits one of them needs the tree.
TEST(HoleStore, SplitTurnsAFullArrayIntoATree) {
  HoleStore store;
  std::uint32_t handle = 0;
  add_holes(store, handle, 256);
  store.fill(handle, 2, 3);
  EXPECT_EQ(store.missing_in_all(handle), 256 * 5 - 1);
  EXPECT_EQ(store.missing_between(handle, 0, 3), 2);
  EXPECT_EQ(store.dropped(), 0u);
}

TEST(HoleStore, MemoryOfATreeComesBack) {
  HoleStore store;
  std::uint32_t handle = 0;
  add_holes(store, handle, 256);
  EXPECT_EQ(store.memory(), 4 * kSlab);  // one slab for each of the four sizes
  add_holes(store, handle, 1000, 256);
  EXPECT_EQ(store.memory(), 5 * kSlab);  // of the largest size a second one
  store.fill(handle, 0, 100'000);
  EXPECT_EQ(handle, 0u);
  add_holes(store, handle, 1256);
  EXPECT_EQ(store.memory(), 5 * kSlab);
}

TEST(HoleStore, ReleasedArraysAndHandlesAreUsedAgain) {
  HoleStore store;
  for (int round = 0; round < 5000; ++round) {
    std::uint32_t handle = 0;
    add_holes(store, handle, 6);
    ASSERT_EQ(handle, 1u);
    ASSERT_EQ(store.missing_in_all(handle), 30);
    store.release(handle);
    ASSERT_EQ(handle, 0u);
  }
  EXPECT_EQ(store.memory(), 2 * kSlab);
}

TEST(HoleStore, ReleaseOfNothingIsNothing) {
  HoleStore store;
  std::uint32_t handle = 0;
  store.release(handle);
  EXPECT_EQ(handle, 0u);
  add_holes(store, handle, 1);
  EXPECT_EQ(handle, 1u);
}

// Several flows of one store, each with its model.
class ManyFlows {
 public:
  ManyFlows(std::uint64_t seed, std::size_t holes_per_flow)
      : random_(seed), store_(*std::pmr::new_delete_resource(), holes_per_flow) {}

  void step() {
    Flow& flow = flows_[random_() % flows_.size()];
    const auto choice = random_() % 100;
    const auto length = 1 + static_cast<std::int64_t>(random_() % 9);
    if (choice < 60) {
      const std::int64_t begin = flow.top + static_cast<std::int64_t>(random_() % 4);
      flow.top = begin + length;
      store_.add_highest(flow.handle, begin, flow.top);
      flow.model.add(begin, flow.top);
    } else if (choice < 70) {
      const std::int64_t end = flow.bottom - static_cast<std::int64_t>(random_() % 4);
      flow.bottom = end - length;
      store_.add_lowest(flow.handle, flow.bottom, end);
      flow.model.add(flow.bottom, end);
    } else if (choice < 99 || random_() % 20) {
      fill(flow, somewhere(flow), random_() % 50 ? length : 400);
    } else {
      store_.release(flow.handle);
      flow = {};
    }
  }

  // As many as the model says; or, where holes may have been dropped, not more.
  void check(bool exactly) {
    for (const Flow& flow : flows_) {
      const std::int64_t begin = somewhere(flow), end = begin + 50;
      const std::int64_t total = flow.handle ? store_.missing_in_all(flow.handle) : 0;
      const std::int64_t part = flow.handle ? store_.missing_between(flow.handle, begin, end) : 0;
      ASSERT_LE(total, flow.model.total());
      ASSERT_LE(part, flow.model.missing(begin, end));
      if (!exactly) continue;
      ASSERT_EQ(total, flow.model.total());
      ASSERT_EQ(part, flow.model.missing(begin, end));
      ASSERT_EQ(flow.handle == 0, flow.model.empty());
    }
  }
  const HoleStore& store() const { return store_; }

 private:
  struct Flow {
    std::uint32_t handle = 0;
    test::HoleModel model;
    std::int64_t bottom = 0, top = 1;
  };

  std::int64_t somewhere(const Flow& flow) {
    return flow.bottom + static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(flow.top - flow.bottom));
  }
  void fill(Flow& flow, std::int64_t begin, std::int64_t length) {
    if (flow.handle) store_.fill(flow.handle, begin, begin + length);
    flow.model.fill(begin, begin + length);
  }

  std::mt19937_64 random_;
  HoleStore store_;
  std::array<Flow, 5> flows_;
};

TEST(HoleStore, AgreesWithThePlainModel) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ManyFlows flows(seed, HoleStore::kMaxHolesPerFlow);
    for (int i = 0; i < 8000; ++i) {
      flows.step();
      if (i % 16 == 0) flows.check(true);
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", step " << i;
    }
    EXPECT_EQ(flows.store().dropped(), 0u);
  }
}

TEST(HoleStore, ForgetsUnderItsLimitsButInventsNothing) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    ManyFlows flows(seed, 300);
    for (int i = 0; i < 8000; ++i) {
      flows.step();
      if (i % 16 == 0) flows.check(flows.store().dropped() == 0);
      if (HasFatalFailure()) FAIL() << "seed " << seed << ", step " << i;
    }
    EXPECT_GT(flows.store().dropped(), 0u);
  }
}

}  // namespace
}  // namespace warpmeter
