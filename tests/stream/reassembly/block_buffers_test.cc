// Memory of lists: what is given back is used again, and all goes with its owner.
#include "stream/reassembly/block_buffers.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstring>
#include <memory_resource>
#include <set>
#include <vector>

namespace warpmeter {
namespace {

constexpr std::uint32_t kBlockBytes = 16 << 10;

// Of this process, as malloc(3) has it; nothing where a sanitizer has taken its place, which looks for leaks itself.
std::size_t heap_in_use() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

TEST(BlockBuffers, WhatIsGivenBackIsUsedAgain) {
  BlockBuffers buffers(kBlockBytes, *std::pmr::new_delete_resource());
  constexpr std::size_t kLarge = 1 << 20;
  const BlockBuffers::Buffer first = buffers.take(100);
  const BlockBuffers::Buffer one = buffers.take(kLarge);
  EXPECT_GE(first.room, 100u);
  EXPECT_LT(first.room, buffers.block_room());
  EXPECT_GE(one.room, kLarge);
  std::memset(one.data, 1, one.room);
  buffers.give_back(first);
  buffers.give_back(one);
  EXPECT_EQ(buffers.take(first.room).data, first.data);
}

std::vector<BlockBuffers::Buffer> take_many(BlockBuffers& buffers, std::size_t bytes, std::size_t sum) {
  std::vector<BlockBuffers::Buffer> taken;
  for (std::size_t left = sum; taken.empty() || left >= taken.back().room; left -= taken.back().room) {
    taken.push_back(buffers.take(bytes));
    std::memset(taken.back().data, 1, taken.back().room);
  }
  return taken;
}

TEST(BlockBuffers, WhatOneSizeHasTakenAnotherUses) {
  constexpr std::size_t kSum = 4 << 20;
  BlockBuffers buffers(kBlockBytes, *std::pmr::new_delete_resource());
  for (const std::size_t bytes : {100, 1000, 6000, 16'000, 100}) {
    for (const BlockBuffers::Buffer& buffer : take_many(buffers, bytes, kSum)) buffers.give_back(buffer);
    EXPECT_LE(buffers.resident(), kSum + (512 << 10)) << bytes;
  }
}

TEST(BlockBuffers, OfWhatNobodyUsesSomeStays) {
  constexpr std::size_t kSum = 1 << 20, kMostFree = 256 << 10, kRecent = 64 << 10;
  BlockBuffers buffers(kBlockBytes, *std::pmr::new_delete_resource(), kMostFree);
  std::vector<BlockBuffers::Buffer> taken = take_many(buffers, 100, kSum);
  EXPECT_GE(buffers.resident(), kSum);
  for (const BlockBuffers::Buffer& buffer : taken) buffers.give_back(buffer);
  EXPECT_LE(buffers.resident(), kMostFree + kRecent);
  EXPECT_GT(buffers.resident(), kMostFree / 2);
  taken = take_many(buffers, 16'000, kSum);
  std::set<const std::uint8_t*> places;
  for (const BlockBuffers::Buffer& buffer : taken) places.insert(buffer.data);
  EXPECT_EQ(places.size(), taken.size());
  for (const BlockBuffers::Buffer& buffer : taken) EXPECT_EQ(buffer.data[buffer.room - 1], 1);
}

// Buffers of which little is used lie in as few slabs as they did before.
TEST(BlockBuffers, OfSlabsThatAreUsedOthersTake) {
  constexpr std::size_t kSum = 1 << 20;
  BlockBuffers buffers(kBlockBytes, *std::pmr::new_delete_resource());
  std::vector<BlockBuffers::Buffer> taken = take_many(buffers, 100, kSum);
  const std::size_t full = buffers.resident();
  for (std::size_t i = 0; i < taken.size(); i += 2) buffers.give_back(taken[i]);
  std::set<const std::uint8_t*> places;
  for (std::size_t i = 0; i < taken.size(); i += 2) places.insert(buffers.take(taken[i].room).data);
  EXPECT_EQ(places.size(), (taken.size() + 1) / 2);
  EXPECT_EQ(buffers.resident(), full);
}

// As of connections that were waiting for bytes when a consumer threw.
TEST(BlockBuffers, WhatNobodyGivesBackGoesWithThem) {
  constexpr std::size_t kLarge = 1 << 20;
  const std::size_t before = heap_in_use();
  for (int i = 0; i < 16; ++i) {
    BlockBuffers buffers(kBlockBytes, *std::pmr::new_delete_resource());
    buffers.take(100);
    for (int k = 0; k < 2; ++k) buffers.take(kLarge);
  }
  EXPECT_LT(heap_in_use(), before + kLarge);
}

}  // namespace
}  // namespace warpmeter
