#include "simulator/test/snippet.h"

namespace cuda_machine::test {
namespace {

using Words = std::vector<std::uint32_t>;

class Scheduler : public MachineTest, public testing::WithParamInterface<Schedule> {
 protected:
  Scheduler() { settings().schedule = GetParam(); }
};

// The lowest lane waits for what the highest one writes; and the other way round.
TEST_P(Scheduler, LanesThatWaitForEachOtherGetThere) {
  for (const char* writer : {"31", "0"}) {
    Snippet snippet(
        std::string("setp.eq.u32 %p1, %r1, ") + writer +
        ";\n@%p1 bra write;\n"
        "wait:\nld.relaxed.gpu.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra wait;\nbra over;\n"
        "write:\nst.relaxed.gpu.global.u32 [%rd1], 7;\nover:\nbar.warp.sync -1;\n");
    snippet.give_memory({0});
    snippet.run();
    EXPECT_EQ(snippet.words(), Words{7});
  }
}

TEST_P(Scheduler, BlocksThatWaitForEachOtherGetThere) {
  Snippet snippet(
      "mov.u32 %r3, %ctaid.x;\nsetp.eq.u32 %p1, %r3, 1;\n@%p1 bra write;\n"
      "wait:\nld.relaxed.gpu.global.u32 %r2, [%rd1];\nsetp.eq.u32 %p2, %r2, 0;\n@%p2 bra wait;\nbra over;\n"
      "write:\nst.relaxed.gpu.global.u32 [%rd1], 7;\nover:\n");
  snippet.give_memory({0});
  snippet.run(64, 2);
  EXPECT_EQ(snippet.words(), Words{7});
}

TEST_P(Scheduler, WhatNeverEndsIsAFault) {
  settings().instruction_limit = 1'000'000;
  Snippet snippet("again:\nbra again;\n");
  snippet.give_memory({0});
  EXPECT_THROW(snippet.run(), KernelFault);
  EXPECT_EQ(reports_made(Finding::no_end), 1u);
}

TEST_P(Scheduler, EveryThreadRunsOnce) {
  for (const unsigned threads : {1u, 31u, 33u, 256u}) {
    Snippet snippet("atom.global.add.u32 %r2, [%rd1], 1;\n");
    snippet.give_memory({0});
    snippet.run(threads, 5);
    EXPECT_EQ(snippet.words(), Words{5 * threads});
  }
}

TEST_P(Scheduler, ReadsBehindABarrierSeeWhatWasWrittenBefore) {
  Snippet snippet(
      "mov.u32 %r2, buffer;\nmad.lo.u32 %r3, %r1, 4, %r2;\nst.shared.u32 [%r3], %r1;\nbar.sync 0;\n"
      "xor.b32 %r4, %r1, 127;\nmad.lo.u32 %r5, %r4, 4, %r2;\nld.shared.u32 %r6, [%r5];\n" +
          put("%r6"),
      ".shared .align 4 .b8 buffer[512];\n");
  snippet.give_memory(Words(128, 0));
  settings().check_races = Races::all;
  snippet.run(128);
  for (std::uint32_t i = 0; i < 128; ++i) EXPECT_EQ(snippet.words()[i], i ^ 127);
  EXPECT_EQ(reports_made(), 0u);
}

TEST_P(Scheduler, BarriersCountWhoSaidYes) {
  Snippet snippet(
      "and.b32 %r2, %r1, 3;\nsetp.eq.u32 %p1, %r2, 0;\nbar.red.popc.u32 %r3, 0, %p1;\n"
      "bar.red.or.pred %p2, 0, %p1;\nselp.u32 %r4, 100, 0, %p2;\nadd.s32 %r3, %r3, %r4;\n" +
      put("%r3"));
  snippet.give_memory(Words(96, 0));
  snippet.run(96);
  EXPECT_EQ(snippet.words(), Words(96, 124));
}

TEST_P(Scheduler, ThreadsThatEndedAreNotWaitedFor) {
  Snippet snippet("setp.lt.u32 %p1, %r1, 40;\n@%p1 ret;\nbar.sync 0;\nmov.u32 %r2, 1;\n" + put("%r2"));
  snippet.give_memory(Words(96, 0));
  snippet.run(96);
  EXPECT_EQ(snippet.words()[39], 0u);
  EXPECT_EQ(snippet.words()[95], 1u);
}

INSTANTIATE_TEST_SUITE_P(All, Scheduler,
                         testing::Values(Schedule::converged, Schedule::random, Schedule::lane_up,
                                         Schedule::lane_down));

}  // namespace
}  // namespace cuda_machine::test
