// Blocks for holes: none is handed out twice, what was given back keeps its contents until the next batch, and asking
// for more than there is does no harm. Against a plain model, and in threads.
#include "hole_pool.cuh"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <set>

#include "kernels/guarded_hole_pool.h"
#include "kernels/host_device.h"

namespace warpmeter::test {
namespace {

constexpr std::uint32_t kNone = HolePoolRef::kNone;

// Fills a block of that class and tells it from all others.
void write_pattern(const HolePoolRef& pool, std::uint32_t place, std::uint32_t size_class, std::uint64_t pattern) {
  HoleBlock* block = pool.block(place);
  block->count = holes_of_class(size_class);
  block->unused = pattern;
  for (std::uint32_t i = 0; i < block->count; ++i) {
    block->holes()[i] = {static_cast<std::int64_t>(pattern), static_cast<std::int64_t>(pattern + i)};
  }
}

bool has_pattern(const HolePoolRef& pool, std::uint32_t place, std::uint32_t size_class, std::uint64_t pattern) {
  HoleBlock* block = pool.block(place);
  bool same = block->size_class == size_class && block->count == holes_of_class(size_class) && block->unused == pattern;
  for (std::uint32_t i = 0; same && i < block->count; ++i) {
    const Hole& hole = block->holes()[i];
    same = hole.begin == static_cast<std::int64_t>(pattern) && hole.end == static_cast<std::int64_t>(pattern + i);
  }
  return same;
}

TEST(HolePool, ClassesTakeFourTimesTheUnitsAndAllTheHolesThatFit) {
  const std::array<std::uint32_t, kHoleClasses> units = {1, 4, 16, 64, 256}, holes = {3, 15, 63, 255, 1023};
  for (std::uint32_t c = 0; c < kHoleClasses; ++c) {
    EXPECT_EQ(units_of_class(c), units[c]);
    EXPECT_EQ(holes_of_class(c), holes[c]);
    EXPECT_EQ(sizeof(HoleBlock) + holes[c] * sizeof(Hole), units[c] * sizeof(HoleUnit));
  }
}

TEST(HolePool, BlockOfEveryClassIsEmptyAndOfItsClass) {
  HoleMemory memory(1024);
  for (std::uint32_t c = 0; c < kHoleClasses; ++c) {
    const std::uint32_t place = memory.ref().take(c);
    ASSERT_NE(place, kNone);
    EXPECT_EQ(memory.ref().block(place)->count, 0u);
    EXPECT_EQ(memory.ref().block(place)->size_class, c);
  }
}

// Who has a number may read its place late: in a batch nothing is written where anybody may still read, even if all
// blocks are taken and given back.
TEST(HolePool, NoPlaceIsWrittenThatMayStillBeRead) {
  constexpr std::uint32_t kUnits = 64, kNobody = 0xa5a5a5a5u;
  for (std::uint32_t c = 0; c < 4; ++c) {
    HoleMemory memory(kUnits, 0xfffffff0u);  // numbers wrap, too
    const HolePoolRef pool = memory.ref();
    const auto take_and_give_back_all = [&] {
      std::vector<std::uint32_t> taken;
      for (std::uint32_t i = 0; i < kUnits / units_of_class(c); ++i) taken.push_back(pool.take(c));
      for (const std::uint32_t place : taken) pool.give_back(place);
    };
    take_and_give_back_all();
    pool.recycle();
    const std::vector<std::uint32_t> readable = memory.ring();
    take_and_give_back_all();
    std::size_t written = 0;
    for (std::size_t i = 0; i < readable.size(); ++i) {
      if (readable[i] == kNobody) written += memory.ring()[i] != kNobody;
      else EXPECT_EQ(memory.ring()[i], readable[i]) << "class " << c << ", place " << i;
    }
    EXPECT_EQ(written, kUnits / units_of_class(c));
  }
}

// One class alone: all blocks that there is room for, and as many again after they were given back.
TEST(HolePool, EveryClassCanHaveItAll) {
  for (std::uint32_t c = 0; c < kHoleClasses; ++c) {
    HoleMemory memory(512);
    const HolePoolRef pool = memory.ref();
    for (int round = 0; round < 5; ++round) {
      std::set<std::uint32_t> places;
      for (std::uint32_t place; (place = pool.take(c)) != kNone;) {
        ASSERT_LE(place + units_of_class(c), 512u);
        ASSERT_TRUE(places.insert(place).second);
      }
      ASSERT_EQ(places.size(), 512 / units_of_class(c)) << "class " << c << ", round " << round;
      std::uint32_t end = 0;
      for (const std::uint32_t place : places) {
        ASSERT_GE(place, end);
        end = place + units_of_class(c);
      }
      for (const std::uint32_t place : places) pool.give_back(place);
      EXPECT_EQ(pool.take(c), kNone);  // not in the same batch
      pool.recycle();
    }
  }
}

TEST(HolePool, OfFewerUnitsThanAClassHasNoneOfIt) {
  for (const std::uint32_t units : {1u, 4u, 16u, 64u}) {
    for (std::uint32_t c = 0; c < kHoleClasses; ++c) {
      HoleMemory memory(units);
      const HolePoolRef pool = memory.ref();
      for (int batch = 0; batch < 3; ++batch) {
        const std::uint32_t place = pool.take(c);
        EXPECT_EQ(place == kNone, units_of_class(c) > units) << "class " << c << " of " << units;
        if (place != kNone) pool.give_back(place);
        pool.recycle();
      }
    }
  }
}

TEST(HolePool, AskingForMoreThanThereIsDoesNoHarm) {
  HoleMemory memory(64);
  const HolePoolRef pool = memory.ref();
  std::vector<std::uint32_t> places;
  for (int i = 0; i < 64; ++i) places.push_back(pool.take(0));
  for (int batch = 0; batch < 4; ++batch) {
    for (int i = 0; i < 1000; ++i) {
      for (std::uint32_t c = 0; c < kHoleClasses; ++c) ASSERT_EQ(pool.take(c), kNone);
    }
    for (const std::uint32_t place : places) pool.give_back(place);
    for (int i = 0; i < 10; ++i) ASSERT_EQ(pool.take(0), kNone);
    pool.recycle();
    ASSERT_EQ(memory.counters.carved, 64u);  // or it would wrap at some time, and carve blocks that others have
    std::set<std::uint32_t> again;
    for (std::size_t i = 0; i < places.size(); ++i) again.insert(pool.take(0));
    ASSERT_EQ(again.size(), places.size());
    ASSERT_FALSE(again.contains(kNone));
  }
}

// What an owner of the whole pool knows of it.
class PoolModel {
 public:
  PoolModel(std::uint32_t units, std::uint32_t first, std::uint64_t seed)
      : random_(seed), memory_(units, first), owned_(units) {}

  void take(std::uint32_t size_class) {
    const std::uint32_t place = memory_.ref().take(size_class);
    if (place == kNone) {
      ASSERT_EQ(waiting_[size_class], 0u) << "refused although some lie there, class " << size_class;
      ++refused_;
      return;
    }
    if (waiting_[size_class]) --waiting_[size_class];
    ++taken_;
    ASSERT_EQ(memory_.ref().block(place)->count, 0u);
    ASSERT_LE(place + units_of_class(size_class), owned_.size());
    for (std::uint32_t u = place; u < place + units_of_class(size_class); ++u) {
      ASSERT_FALSE(owned_[u]) << "unit " << u << " belongs to somebody";
      owned_[u] = true;
    }
    blocks_.push_back({place, size_class, random_()});
    write_pattern(memory_.ref(), place, size_class, blocks_.back().pattern);
  }
  void give_back() {
    if (blocks_.empty()) return;
    std::swap(blocks_[random_() % blocks_.size()], blocks_.back());
    memory_.ref().give_back(blocks_.back().place);
    given_back_.push_back(blocks_.back());
    blocks_.pop_back();
  }
  void recycle() {
    check();
    memory_.ref().recycle();
    for (const Block& block : given_back_) {
      ++waiting_[block.size_class];
      for (std::uint32_t u = block.place; u < block.place + units_of_class(block.size_class); ++u) owned_[u] = false;
    }
    given_back_.clear();
  }
  void step() {
    const auto choice = random_() % 100;
    if (choice < 1 + random_() % 4) return recycle();
    if (choice < 50) return give_back();
    const auto size_class = static_cast<std::uint32_t>(random_() % (choice < 55 ? kHoleClasses : 3));
    if (units_of_class(size_class) <= owned_.size()) take(size_class);
  }
  // Those that are held, and those that were given back in this batch.
  void check() {
    for (const auto* blocks : {&blocks_, &given_back_}) {
      for (const Block& b : *blocks) ASSERT_TRUE(has_pattern(memory_.ref(), b.place, b.size_class, b.pattern));
    }
  }
  std::uint64_t taken() const { return taken_; }
  std::uint64_t refused() const { return refused_; }

 private:
  struct Block {
    std::uint32_t place, size_class;
    std::uint64_t pattern;
  };

  std::mt19937_64 random_;
  HoleMemory memory_;
  std::vector<bool> owned_;                            // by unit: held, or given back in this batch
  std::array<std::uint32_t, kHoleClasses> waiting_{};  // may be taken again
  std::vector<Block> blocks_, given_back_;
  std::uint64_t taken_ = 0, refused_ = 0;
};

void check_model(std::uint32_t units, std::uint32_t first) {
  std::uint64_t taken = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    PoolModel model(units, first, seed);
    for (int i = 0; i < 4000; ++i) {
      ASSERT_NO_FATAL_FAILURE(model.step()) << "seed " << seed << ", step " << i;
    }
    model.check();
    taken += model.taken();
    refused += model.refused();
  }
  EXPECT_GT(taken, units == 1 ? 100u : 500u);
  EXPECT_GT(refused, 100u);
}

TEST(HolePool, AgreesWithThePlainModel) {
  for (const std::uint32_t units : {1u, 8u, 64u, 512u}) {
    SCOPED_TRACE(units);
    check_model(units, 0);
  }
}

TEST(HolePool, RingsCountOverTheWrap) {
  for (const std::uint32_t before : {0u, 1u, 3u, 50u, 300u}) {
    SCOPED_TRACE(before);
    check_model(64, 0u - before);
  }
  check_model(64, std::uint32_t{1} << 31);
}

// A thread an owner: gives back the block that it has, or takes one.
struct UsePool {
  struct Owner {
    std::uint32_t place = kNone, size_class = 0;
    std::uint64_t pattern = 0;
    bool spoiled = false;
  };
  HolePoolRef pool;
  Owner* owner;
  std::uint64_t batch;

  template <class Tile>
  void operator()(Tile&, std::uint32_t i) const {
    Owner& o = owner[i];
    std::mt19937_64 random(batch << 32 | i);
    if (o.place != kNone) {
      if (!has_pattern(pool, o.place, o.size_class, o.pattern)) o.spoiled = true;
      if (random() % 3 == 0) return;
      pool.give_back(o.place);
      o.place = kNone;
    }
    o.size_class = static_cast<std::uint32_t>(random() % 3);
    o.pattern = random();
    o.place = pool.take(o.size_class);
    if (o.place != kNone) write_pattern(pool, o.place, o.size_class, o.pattern);
  }
};

// For ThreadSanitizer above all: a block that two have is written by both.
TEST(HolePoolInThreads, NoBlockHasTwoOwners) {
  constexpr std::uint32_t kOwners = 300, kUnits = 2048;
  HoleMemory memory(kUnits, 0u - 2000);
  HostDevice device({.threads = 4});
  std::vector<UsePool::Owner> owners(kOwners);
  std::size_t without = 0;
  for (std::uint64_t batch = 0; batch < 60; ++batch) {
    memory.ref().recycle();
    device.launch(UsePool{memory.ref(), owners.data(), batch}, kOwners);
    std::map<std::uint32_t, std::uint32_t> units;  // of blocks, by place
    for (const UsePool::Owner& o : owners) {
      ASSERT_FALSE(o.spoiled);
      if (o.place == kNone) ++without;
      else ASSERT_TRUE(units.emplace(o.place, units_of_class(o.size_class)).second);
    }
    std::uint32_t end = 0;
    for (const auto& [place, count] : units) {
      ASSERT_GE(place, end);
      end = place + count;
    }
    ASSERT_LE(end, kUnits);
  }
  EXPECT_GT(without, 100u);
  EXPECT_LT(without, 60 * kOwners / 2);
}

}  // namespace
}  // namespace warpmeter::test
