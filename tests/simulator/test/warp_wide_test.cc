#include "simulator/test/snippet.h"

namespace cuda_machine::test {
namespace {

using WarpWide = MachineTest;
using Words = std::vector<std::uint32_t>;

// What each lane has put.
Words result_of(const std::string& body) {
  Snippet snippet(body);
  snippet.give_memory(Words(kLanes, 0));
  snippet.run();
  return snippet.words();
}

template <class F>
Words each_lane(F f) {
  Words words(kLanes);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) words[lane] = f(lane);
  return words;
}

TEST_F(WarpWide, ShuffleByIndex) {
  EXPECT_EQ(result_of("mul.lo.u32 %r2, %r1, 10;\nxor.b32 %r3, %r1, 5;\n"
                      "shfl.sync.idx.b32 %r4, %r2, %r3, 31, -1;\n" +
                      put("%r4")),
            each_lane([](std::uint32_t lane) { return (lane ^ 5) * 10; }));
}

TEST_F(WarpWide, ShuffleWithinSegmentsOfEight) {
  EXPECT_EQ(result_of("shfl.sync.idx.b32 %r4, %r1, 2, 6175, -1;\n" + put("%r4")),  // 0x181f: segments of 8
            each_lane([](std::uint32_t lane) { return lane / 8 * 8 + 2; }));
}

TEST_F(WarpWide, ShuffleUpAndDownKeepTheirOwnAtTheEdge) {
  EXPECT_EQ(result_of("shfl.sync.up.b32 %r4|%p1, %r1, 3, 0, -1;\nselp.u32 %r5, 100, 0, %p1;\nadd.s32 %r4, %r4, %r5;\n" +
                      put("%r4")),
            each_lane([](std::uint32_t lane) { return lane >= 3 ? lane - 3 + 100 : lane; }));
  EXPECT_EQ(result_of("shfl.sync.down.b32 %r4, %r1, 3, 31, -1;\n" + put("%r4")),
            each_lane([](std::uint32_t lane) { return lane + 3 < 32 ? lane + 3 : lane; }));
}

TEST_F(WarpWide, ShuffleButterfly) {
  EXPECT_EQ(result_of("shfl.sync.bfly.b32 %r4, %r1, 16, 31, -1;\n" + put("%r4")),
            each_lane([](std::uint32_t lane) { return lane ^ 16; }));
}

TEST_F(WarpWide, Votes) {
  const std::string odd = "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 1;\n";
  EXPECT_EQ(result_of(odd + "vote.sync.ballot.b32 %r4, %p1, -1;\n" + put("%r4")),
            each_lane([](std::uint32_t) { return 0xaaaaaaaau; }));
  EXPECT_EQ(result_of(odd +
                      "vote.sync.any.pred %p2, %p1, -1;\nvote.sync.all.pred %p3, %p1, -1;\n"
                      "vote.sync.uni.pred %p4, !%p1, -1;\nselp.u32 %r4, 1, 0, %p2;\nselp.u32 %r5, 2, 0, %p3;\n"
                      "selp.u32 %r6, 4, 0, %p4;\nadd.s32 %r4, %r4, %r5;\nadd.s32 %r4, %r4, %r6;\n" +
                      put("%r4")),
            each_lane([](std::uint32_t) { return 1u; }));
}

TEST_F(WarpWide, MatchAndReduce) {
  EXPECT_EQ(result_of("and.b32 %r2, %r1, 3;\nmatch.any.sync.b32 %r4, %r2, -1;\n" + put("%r4")),
            each_lane([](std::uint32_t lane) { return 0x11111111u << (lane & 3); }));
  EXPECT_EQ(result_of("redux.sync.add.u32 %r4, %r1, -1;\n" + put("%r4")),
            each_lane([](std::uint32_t) { return 496u; }));
  EXPECT_EQ(result_of("sub.s32 %r2, %r1, 7;\nredux.sync.min.s32 %r4, %r2, -1;\n" + put("%r4")),
            each_lane([](std::uint32_t) { return static_cast<std::uint32_t>(-7); }));
}

// Two halves, each with a mask of its own; one of them comes later.
TEST_F(WarpWide, TilesAreOnTheirOwn) {
  EXPECT_EQ(result_of("and.b32 %r2, %r1, 16;\nsetp.eq.u32 %p1, %r2, 0;\nselp.b32 %r3, 65535, -65536, %p1;\n"
                      "@%p1 bra first;\nadd.s32 %r1, %r1, 0;\nfirst:\nsetp.gt.u32 %p2, %r1, 20;\n"
                      "vote.sync.ballot.b32 %r4, %p2, %r3;\n" +
                      put("%r4")),
            each_lane([](std::uint32_t lane) { return lane < 16 ? 0u : 0xffe00000u; }));
}

TEST_F(WarpWide, LanesThatPartedMeetUnderEverySchedule) {
  for (const Schedule schedule : {Schedule::converged, Schedule::random, Schedule::lane_up, Schedule::lane_down}) {
    settings().schedule = schedule;
    for (settings().seed = 1; settings().seed <= 20; ++settings().seed) {
      EXPECT_EQ(result_of("mov.u32 %r2, %r1;\nagain:\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra over;\nsub.s32 %r2, %r2, 1;\n"
                          "bra again;\nover:\nredux.sync.add.u32 %r4, %r1, -1;\n" +
                          put("%r4")),
                each_lane([](std::uint32_t) { return 496u; }));
    }
  }
}

// What must not be is a fault that says so, and no hang.
void expect_fault(const std::string& body, Finding finding) {
  Snippet snippet(body);
  snippet.give_memory(Words(kLanes, 0));
  try {
    snippet.run();
    FAIL() << "no fault of " << body;
  } catch (const KernelFault& fault) {
    EXPECT_EQ(fault.finding, finding) << fault.what();
  }
  EXPECT_EQ(reports_made(finding), 1u);
  forget_reports();
}

TEST_F(WarpWide, WrongMasksAreFaults) {
  for (const Schedule schedule : {Schedule::converged, Schedule::random, Schedule::lane_up, Schedule::lane_down}) {
    settings().schedule = schedule;
    // Without itself; different ones; one that has ended; one that never comes.
    expect_fault("bar.warp.sync 1;\n", Finding::warp_wide);
    expect_fault(
        "setp.eq.u32 %p1, %r1, 0;\nselp.b32 %r2, 3, 7, %p1;\nsetp.gt.u32 %p2, %r1, 2;\n@%p2 ret;\n"
        "bar.warp.sync %r2;\n",
        Finding::warp_wide);
    expect_fault("setp.eq.u32 %p1, %r1, 9;\n@%p1 ret;\nbar.warp.sync -1;\n", Finding::warp_wide);
    expect_fault("setp.eq.u32 %p1, %r1, 9;\n@%p1 bra other;\nbar.warp.sync -1;\nret;\nother:\nbar.sync 0;\n",
                 Finding::deadlock);
    expect_fault(
        "setp.eq.u32 %p1, %r1, 9;\n@%p1 bra other;\nbar.warp.sync -1;\nret;\nother:\n"
        "vote.sync.any.pred %p2, %p1, -1;\n",
        Finding::warp_wide);
  }
}

TEST_F(WarpWide, ShuffleFromALaneThatDoesNotTakePart) {
  Snippet snippet("setp.gt.u32 %p1, %r1, 15;\n@%p1 ret;\nshfl.sync.idx.b32 %r4, %r1, 20, 31, 65535;\n" + put("%r4"));
  snippet.give_memory(Words(kLanes, 0));
  snippet.run();
  EXPECT_GT(reports_made(Finding::warp_wide), 0u);
}

}  // namespace
}  // namespace cuda_machine::test
