// A batch counts from 0, may take the blocks of holes that were given back before it, and knows of the room for flows.
#include "batch_counts.cuh"

#include <gtest/gtest.h>

#include "kernels/guarded_hole_pool.h"
#include "kernels/host_device.h"

namespace warpmeter::test {
namespace {

BatchCounts some_counts() {
  return {.segments = 1,
          .before = 2,
          .leaving = 3,
          .idle = 4,
          .overflow = 5,
          .runs = 6,
          .jumps = 7,
          .room = {.given = 6, .free = 7, .released = 8, .open = 9, .refused = 10, .lost = 11}};
}

TEST(ClearCounts, LeavesTheRoomAndRecyclesHoles) {
  HoleMemory memory(1);
  memory.ref().give_back(memory.ref().take(0));
  EXPECT_EQ(memory.ref().take(0), HolePoolRef::kNone);
  BatchCounts counts = some_counts();
  HostDevice({}).launch(ClearCounts{&counts, memory.ref()}, 1);
  EXPECT_EQ(
      counts.segments + counts.before + counts.leaving + counts.idle + counts.overflow + counts.runs + counts.jumps,
      0u);
  EXPECT_EQ(counts.room.given, 6u);
  EXPECT_EQ(counts.room.lost, 11u);
  EXPECT_EQ(memory.ref().take(0), 0u);
}

TEST(ClearCounts, DoesWithoutHoles) {
  BatchCounts counts = some_counts();
  HostDevice({}).launch(ClearCounts{&counts, {}}, 1);
  EXPECT_EQ(counts.leaving, 0u);
  EXPECT_EQ(counts.room.open, 9u);
}

}  // namespace
}  // namespace warpmeter::test
