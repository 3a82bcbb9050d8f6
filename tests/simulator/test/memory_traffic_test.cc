// What launches ask of memory, counted, for PTX whose counts are known.
#include "simulator/memory_traffic.h"

#include "simulator/launch_counts.h"
#include "simulator/test/snippet.h"

namespace cuda_machine::test {
namespace {

class MemoryTrafficTest : public MachineTest {
 protected:
  // What a launch of these threads did.
  static MemoryCounts counts_of(const std::string& body, unsigned threads = kLanes, unsigned blocks = 1) {
    settings().multiprocessors = 1;
    LaunchCounts counts;
    Snippet snippet(body);
    snippet.give_memory(std::vector<std::uint32_t>(4096));
    snippet.run(threads, blocks, &counts);
    return counts.memory_of(snippet.kernel());
  }
};

// %rd3: the thread's own place, so many bytes from the next one's.
std::string place(unsigned apart) {
  return "mul.wide.u32 %rd2, %r1, " + std::to_string(apart) + ";\nadd.s64 %rd3, %rd1, %rd2;\n";
}

TEST_F(MemoryTrafficTest, NeighboursShareSectors) {
  const MemoryCounts counts = counts_of(place(4) + "ld.global.u32 %r2, [%rd3];\n");
  EXPECT_EQ(counts.reads, 1u);
  EXPECT_EQ(counts.read_sectors, 4u);
  EXPECT_EQ(counts.l2_read_sectors, 4u);
  EXPECT_EQ(counts.dram_read_sectors, 4u);
}

TEST_F(MemoryTrafficTest, FarApartEachLaneHasItsOwn) {
  EXPECT_EQ(counts_of(place(64) + "ld.global.u32 %r2, [%rd3];\n").read_sectors, 32u);
  EXPECT_EQ(counts_of("ld.global.u32 %r2, [%rd1];\n").read_sectors, 1u);
}

TEST_F(MemoryTrafficTest, ASecondReadIsOfTheL1UnlessItIsStrong) {
  const MemoryCounts weak = counts_of(place(4) + "ld.global.u32 %r2, [%rd3];\nld.global.u32 %r3, [%rd3];\n");
  EXPECT_EQ(weak.read_sectors, 8u);
  EXPECT_EQ(weak.l2_read_sectors, 4u);
  const MemoryCounts strong =
      counts_of(place(4) + "ld.global.u32 %r2, [%rd3];\nld.relaxed.gpu.global.u32 %r3, [%rd3];\n");
  EXPECT_EQ(strong.l2_read_sectors, 8u);
  EXPECT_EQ(strong.dram_read_sectors, 4u);
}

TEST_F(MemoryTrafficTest, WritesGoThroughToTheL2) {
  const MemoryCounts counts = counts_of(place(4) + "st.global.u32 [%rd3], %r1;\nst.global.u32 [%rd3], %r1;\n");
  EXPECT_EQ(counts.writes, 2u);
  EXPECT_EQ(counts.l2_write_sectors, 8u);
  EXPECT_EQ(counts.dram_read_sectors + counts.dram_write_sectors, 0u);
}

TEST_F(MemoryTrafficTest, AtomicsAtOneAddressComeOneAfterTheOther) {
  const MemoryCounts counts = counts_of("atom.global.add.u32 %r2, [%rd1], 1;\n", 64, 3);
  EXPECT_EQ(counts.atomics, 6u);
  EXPECT_EQ(counts.atomic_operations, 192u);
  EXPECT_EQ(counts.atomics_in_a_row, 192u);
  EXPECT_EQ(counts.atomic_sectors, 6u);
  EXPECT_EQ(counts_of(place(4) + "atom.global.add.u32 %r2, [%rd3], 1;\n").atomics_in_a_row, 1u);
}

TEST_F(MemoryTrafficTest, LanesThatStayAwayAreSeen) {
  const std::string all = place(4);
  const std::uint64_t before = counts_of(all).lanes;
  EXPECT_EQ(counts_of("setp.lt.u32 %p1, %r1, 8;\n@%p1 add.u32 %r2, %r1, 1;\n" + all).lanes, before + 32 + 8);
}

}  // namespace
}  // namespace cuda_machine::test
