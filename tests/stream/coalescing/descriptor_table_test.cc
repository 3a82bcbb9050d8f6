// Descriptors are found whatever their hashes are, and leave in the order in which they were asked for last.
#include "stream/coalescing/descriptor_table.h"

#include <gtest/gtest.h>

#include <list>
#include <set>

namespace warpmeter {
namespace {

constexpr std::uint64_t kNobody = ~std::uint64_t{0};

HashedKey key_of(std::uint64_t number) { return {number, 0, 0, 0, 0}; }

// All of them begin to look in one of three places.
std::uint64_t hash_of(std::uint64_t number) { return number % 3 | number << 40; }

TEST(DescriptorTable, FindsThoseThatAreThere) {
  DescriptorTable table;
  std::set<std::uint64_t> there;
  std::uint64_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t number = state >> 33 & 127;
    DirectionDescriptor* const found = table.find(key_of(number), hash_of(number));
    ASSERT_EQ(found != nullptr, there.contains(number));
    if (found) {
      ASSERT_EQ(found->key.source_high, number);
      table.erase(*found);
      there.erase(number);
    } else {
      table.add(key_of(number), hash_of(number));
      there.insert(number);
    }
    ASSERT_EQ(table.size(), there.size());
  }
}

TEST(DescriptorTable, KeepsBothOrders) {
  DescriptorTable table;
  for (std::uint64_t i = 0; i < 4; ++i) table.add(key_of(i), i);
  const auto at = [&table](std::uint64_t i) -> DirectionDescriptor& { return *table.find(key_of(i), i); };
  EXPECT_EQ(table.oldest(), &at(0));
  EXPECT_EQ(table.oldest_waiting(), nullptr);
  table.touch(at(0));
  EXPECT_EQ(table.oldest(), &at(1));
  table.waits(at(2));
  table.waits(at(3));
  table.waits(at(2));
  EXPECT_EQ(table.oldest_waiting(), &at(3));
  table.waits_no_more(at(3));
  EXPECT_EQ(table.oldest_waiting(), &at(2));
  table.waits_no_more(at(2));
  EXPECT_EQ(table.oldest_waiting(), nullptr);
  table.erase(at(1));
  EXPECT_EQ(table.oldest(), &at(2));
}

// However many there are, and whichever of them go and come.
TEST(DescriptorTable, OrdersThemAsTheyWereAskedFor) {
  DescriptorTable table;
  std::list<std::uint64_t> all, waiting;  // the oldest first
  std::uint64_t state = 1;
  for (int i = 0; i < 20'000; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t number = state >> 33 & 255, what = state >> 53 & 7;
    DirectionDescriptor* d = table.find(key_of(number), number);
    if (!d) d = &table.add(key_of(number), number);
    table.touch(*d);
    all.remove(number);
    all.push_back(number);
    if (what < 5) {
      table.waits(*d);
      waiting.remove(number);
      waiting.push_back(number);
    } else {
      table.waits_no_more(*d);
      waiting.remove(number);
    }
    if (what == 7) {
      table.erase(*d);
      all.remove(number);
    }
    ASSERT_EQ(table.oldest() ? table.oldest()->key.source_high : kNobody, all.empty() ? kNobody : all.front());
    DirectionDescriptor* waits = table.oldest_waiting();
    for (const std::uint64_t wanted : waiting) {
      ASSERT_TRUE(waits && waits->key.source_high == wanted);
      waits = table.newer_waiting(*waits);
    }
    ASSERT_EQ(waits, nullptr);
  }
}

// What was erased leaves nothing to the one that takes its place.
TEST(DescriptorTable, BeginsAnew) {
  DescriptorTable table;
  DirectionDescriptor& first = table.add(key_of(1), 1);
  first.has_next = true;
  first.average_ns = 5;
  table.erase(first);
  const DirectionDescriptor& second = table.add(key_of(2), 2);
  EXPECT_FALSE(second.has_next);
  EXPECT_EQ(second.average_ns, DirectionDescriptor::kNoAverage);
}

}  // namespace
}  // namespace warpmeter
