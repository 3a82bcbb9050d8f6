// Memory of lists: what is given back is used again, and all goes with its owner.
#include "tcp/block_buffers.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstring>
#include <memory_resource>

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
  const std::size_t small = buffers.room_for(100), large = buffers.room_for(1 << 20);
  EXPECT_GE(small, 100u);
  EXPECT_GT(large, buffers.block_room());
  std::uint8_t* const first = buffers.take(small);
  std::uint8_t* const one = buffers.take(large);
  std::memset(one, 1, large);
  buffers.give_back(first, small);
  buffers.give_back(one, large);
  EXPECT_EQ(buffers.take(small), first);
}

// As of connections that were waiting for bytes when a consumer threw.
TEST(BlockBuffers, WhatNobodyGivesBackGoesWithThem) {
  constexpr std::size_t kLarge = 1 << 20;
  const std::size_t before = heap_in_use();
  for (int i = 0; i < 16; ++i) {
    BlockBuffers buffers(kBlockBytes, *std::pmr::new_delete_resource());
    buffers.take(buffers.room_for(100));
    for (int k = 0; k < 2; ++k) buffers.take(buffers.room_for(kLarge));
  }
  EXPECT_LT(heap_in_use(), before + kLarge);
}

}  // namespace
}  // namespace warpmeter
