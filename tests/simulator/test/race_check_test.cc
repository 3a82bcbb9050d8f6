#include "simulator/test/snippet.h"

namespace cuda_machine::test {
namespace {

using Words = std::vector<std::uint32_t>;

class Races : public MachineTest, public testing::WithParamInterface<Schedule> {
 protected:
  Races() {
    settings().schedule = GetParam();
    settings().check_races = cuda_machine::Races::all;
  }

  // Whether any race was reported when threads run this.
  static bool races(const std::string& body, unsigned threads = kLanes, unsigned blocks = 1) {
    forget_reports();
    Snippet snippet(body);
    snippet.give_memory(Words(256, 0));
    snippet.run(threads, blocks);
    EXPECT_EQ(reports_made(), reports_made(Finding::race));
    return reports_made() > 0;
  }
};

// Each writes its word, and reads that of its neighbour.
std::string neighbour(const std::string& between, const char* step = "1") {
  return put("%r1") + between + std::string("add.s32 %r5, %r1, ") + step +
         ";\nand.b32 %r5, %r5, 127;\nmul.wide.u32 %rd4, %r5, 4;\nadd.s64 %rd5, %rd1, %rd4;\nld.global.u32 %r6, "
         "[%rd5];\n";
}

TEST_P(Races, LanesOfAWarp) {
  EXPECT_TRUE(races(neighbour("", "31")));
  EXPECT_FALSE(races(neighbour("bar.warp.sync -1;\n", "0")));
  const std::string within = "xor.b32 %r5, %r1, 1;\nmul.wide.u32 %rd4, %r5, 4;\nadd.s64 %rd5, %rd1, %rd4;\n";
  EXPECT_TRUE(races(put("%r1") + within + "ld.global.u32 %r6, [%rd5];\n"));
  EXPECT_FALSE(races(put("%r1") + "bar.warp.sync -1;\n" + within + "ld.global.u32 %r6, [%rd5];\n"));
  // A shuffle is no barrier for memory.
  EXPECT_TRUE(races(put("%r1") + "shfl.sync.idx.b32 %r7, %r1, 0, 31, -1;\n" + within + "ld.global.u32 %r6, [%rd5];\n"));
  // Read, then written by another.
  EXPECT_TRUE(races(within + "ld.global.u32 %r6, [%rd5];\n" + put("%r1")));
  EXPECT_FALSE(races(within + "ld.global.u32 %r6, [%rd5];\nbar.warp.sync -1;\n" + put("%r1")));
}

TEST_P(Races, WarpsOfABlock) {
  EXPECT_TRUE(races(neighbour("", "64"), 128));
  EXPECT_TRUE(races(neighbour("bar.warp.sync -1;\n", "64"), 128));
  EXPECT_FALSE(races(neighbour("bar.sync 0;\n", "64"), 128));
}

TEST_P(Races, Blocks) {
  EXPECT_TRUE(races(put("%r1"), 32, 2));
  EXPECT_TRUE(races(put("%r1") + "bar.sync 0;\n", 32, 2));
  EXPECT_FALSE(races("ld.global.u32 %r6, [%rd1];\n", 32, 4));
}

TEST_P(Races, AtomicOperationsDoNotRaceWithEachOther) {
  EXPECT_FALSE(
      races("atom.global.add.u32 %r2, [%rd1], 1;\nld.relaxed.gpu.global.u32 %r3, [%rd1];\n"
            "st.relaxed.gpu.global.u32 [%rd1], 5;\n",
            64, 3));
  EXPECT_FALSE(races("st.volatile.global.u32 [%rd1], 5;\nld.volatile.global.u32 %r3, [%rd1];\n", 64, 3));
}

TEST_P(Races, AtomicAgainstPlain) {
  EXPECT_TRUE(races("atom.global.add.u32 %r2, [%rd1], 1;\nld.global.u32 %r3, [%rd1];\n", 64));
  EXPECT_TRUE(races("ld.global.u32 %r3, [%rd1];\natom.global.add.u32 %r2, [%rd1], 1;\n", 64));
  EXPECT_TRUE(
      races("ld.relaxed.gpu.global.u32 %r3, [%rd1];\nsetp.eq.u32 %p1, %r1, 40;\n@%p1 st.global.u32 [%rd1], 1;\n", 64));
}

TEST_P(Races, ScopeOfABlockIsNotEnoughForTwo) {
  const std::string add = "atom.global.cta.add.u32 %r2, [%rd1], 1;\n";
  EXPECT_FALSE(races(add, 64, 1));
  EXPECT_TRUE(races(add, 64, 2));
}

TEST_P(Races, AtomicOperationsOfOtherSizesAreNotAtomicForEachOther) {
  const std::string wide = "mov.u64 %rd4, 1;\natom.global.add.u64 %rd5, [%rd1], %rd4;\n";
  EXPECT_FALSE(races(wide, 64));
  EXPECT_TRUE(races(wide + "ld.relaxed.gpu.global.u32 %r3, [%rd1+4];\n", 64));
  EXPECT_FALSE(races(wide + "ld.relaxed.gpu.global.u64 %rd6, [%rd1];\n", 64));
}

TEST_P(Races, NeighbouringBytesAreNoRace) {
  EXPECT_FALSE(
      races("cvt.u64.u32 %rd4, %r1;\nadd.s64 %rd5, %rd1, %rd4;\nmov.u16 %rs1, 1;\nst.global.u8 [%rd5], %rs1;\n"
            "ld.global.u8 %rs2, [%rd5];\n",
            128));
  EXPECT_TRUE(
      races("cvt.u64.u32 %rd4, %r1;\nadd.s64 %rd5, %rd1, %rd4;\nmov.u16 %rs1, 1;\nst.global.u8 [%rd5], %rs1;\n"
            "and.b64 %rd6, %rd5, -4;\nld.global.u32 %r2, [%rd6];\n",
            128));
}

// Block 0 writes and tells, block 1 waits until it is told and reads.
std::string message(const std::string& tell, const std::string& look) {
  return "mov.u32 %r3, %ctaid.x;\nsetp.eq.u32 %p1, %r3, 1;\n@%p1 bra reader;\nst.global.u32 [%rd1+8], 9;\n" + tell +
         "\nbra over;\nreader:\n" + look +
         "\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra reader;\nld.global.u32 %r6, [%rd1+8];\nover:\n";
}

TEST_P(Races, MessagesNeedReleaseAndAcquire) {
  EXPECT_FALSE(races(message("st.release.gpu.global.u32 [%rd1], 1;", "ld.acquire.gpu.global.u32 %r2, [%rd1];"), 1, 2));
  EXPECT_TRUE(races(message("st.relaxed.gpu.global.u32 [%rd1], 1;", "ld.acquire.gpu.global.u32 %r2, [%rd1];"), 1, 2));
  EXPECT_TRUE(races(message("st.release.gpu.global.u32 [%rd1], 1;", "ld.relaxed.gpu.global.u32 %r2, [%rd1];"), 1, 2));
}

TEST_P(Races, FencesMakeReleaseAndAcquire) {
  const std::string tell = "fence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 [%rd1], 1;";
  const std::string look = "ld.relaxed.gpu.global.u32 %r2, [%rd1];";
  EXPECT_FALSE(races(message(tell, look + "\nfence.acq_rel.gpu;"), 1, 2));
  EXPECT_FALSE(races(message("membar.gl;\natom.global.exch.b32 %r7, [%rd1], 1;", look + "\nmembar.gl;"), 1, 2));
  EXPECT_TRUE(races(message(tell, look), 1, 2));
  EXPECT_TRUE(races(message("membar.cta;\nst.relaxed.gpu.global.u32 [%rd1], 1;", look + "\nmembar.cta;"), 1, 2));
}

// One launch after another.
TEST_P(Races, LaunchesAreOrdered) {
  Snippet snippet(
      "atom.global.add.u32 %r2, [%rd1], 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 ret;\nst.global.u32 [%rd1+4], %r2;\n");
  snippet.give_memory({0, 0});
  for (int i = 0; i < 3; ++i) snippet.run();
  EXPECT_EQ(reports_made(), 0u);
}

INSTANTIATE_TEST_SUITE_P(All, Races,
                         testing::Values(Schedule::converged, Schedule::random, Schedule::lane_up,
                                         Schedule::lane_down));

}  // namespace
}  // namespace cuda_machine::test
