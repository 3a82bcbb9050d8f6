// Sums, products, quotients, carries, conversions and moves, at the edges; and that lanes have operands of their own.
#include "simulator/arithmetic.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "simulator/test/arithmetic_case.h"

namespace cuda_machine::test {
namespace {

TEST(Arithmetic, SumsWrapAroundAndLeaveUpperBitsZero) {
  expect_all({{"add.s32 d, a, b;", {0x7fff'ffff, 1}, 0x8000'0000},
              {"add.s32 d, a, -1;", {0}, 0xffff'ffff},
              {"add.u32 d, a, b;", {0xffff'ffff, 2}, 1},
              {"add.s16 d, a, b;", {0x7fff, 1}, 0x8000},
              {"add.u16 d, a, 1;", {0xffff}, 0},
              {"add.s64 d, a, b;", {~0ull, 1}, 0},
              {"sub.s32 d, a, b;", {0, 1}, 0xffff'ffff},
              {"sub.s16 d, a, b;", {0, 1}, 0xffff},
              {"sub.s64 d, a, b;", {1, 2}, ~0ull},
              {"neg.s32 d, a;", {5}, 0xffff'fffb},
              {"neg.s64 d, a;", {1ull << 63}, 1ull << 63},
              {"abs.s32 d, a;", {0xffff'fff0}, 16},
              {"abs.s32 d, a;", {0x8000'0000}, 0x8000'0000},
              {"abs.s64 d, a;", {~0ull}, 1}});
}

TEST(Arithmetic, ReadsNoMoreOfARegisterThanItsType) {
  expect_all({{"add.u32 d, a, b;", {0xff00'0000'0001, 0xee00'0000'0002}, 3},
              {"shr.u32 d, a, 4;", {0xf'0000'0010}, 1},
              {"mov.u32 d, a;", {0xf'0000'0010}, 0x10},
              {"max.s16 d, a, b;", {0x1'8000, 0x2'0001}, 1},
              {"not.b16 d, a;", {0xf'0000}, 0xffff}});
}

TEST(Arithmetic, MinimumAndMaximumBySign) {
  expect_all({{"min.s32 d, a, b;", {0xffff'ffff, 1}, 0xffff'ffff},
              {"min.u32 d, a, b;", {0xffff'ffff, 1}, 1},
              {"max.s32 d, a, b;", {0xffff'ffff, 1}, 1},
              {"max.u32 d, a, b;", {0xffff'ffff, 1}, 0xffff'ffff},
              {"min.s64 d, a, b;", {~0ull, 1}, ~0ull},
              {"min.u64 d, a, b;", {~0ull, 1}, 1},
              {"max.s64 d, a, b;", {1ull << 63, 0}, 0},
              {"max.u64 d, a, b;", {1ull << 63, 0}, 1ull << 63}});
}

TEST(Arithmetic, Products) {
  expect_all({{"mul.lo.s32 d, a, b;", {0xffff'ffff, 7}, 0xffff'fff9},
              {"mul.lo.u16 d, a, b;", {0xffff, 0xffff}, 1},
              {"mul.lo.s64 d, a, b;", {~0ull, 3}, ~0ull - 2},
              {"mul.hi.u32 d, a, b;", {0xffff'ffff, 0xffff'ffff}, 0xffff'fffe},
              {"mul.hi.s32 d, a, b;", {0xffff'ffff, 0xffff'ffff}, 0},
              {"mul.hi.s32 d, a, b;", {0xffff'ffff, 1}, 0xffff'ffff},
              {"mul.hi.u64 d, a, b;", {~0ull, ~0ull}, ~0ull - 1},
              {"mul.hi.s64 d, a, b;", {~0ull, 1}, ~0ull},
              {"mul.hi.u16 d, a, b;", {0xffff, 0xffff}, 0xfffe},
              {"mul.wide.u32 d, a, b;", {0xffff'ffff, 0xffff'ffff}, 0xffff'fffe'0000'0001u},
              {"mul.wide.s32 d, a, b;", {0xffff'ffff, 4}, ~0ull - 3},
              {"mul.wide.u16 d, a, b;", {0xffff, 0xffff}, 0xfffe'0001},
              {"mul.wide.s16 d, a, b;", {0xffff, 2}, 0xffff'fffe},
              {"mad.lo.s32 d, a, b, c;", {5, 0xffff'ffff, 3}, 0xffff'fffe},
              {"mad.hi.u32 d, a, b, c;", {0x8000'0000, 4, 10}, 12},
              {"mad.wide.u32 d, a, b, c;", {0xffff'ffff, 2, 3}, 0x2'0000'0001},
              {"mad.wide.s32 d, a, b, c;", {0xffff'ffff, 8, 16}, 8}});
}

TEST(Arithmetic, QuotientsTruncateTowardsZero) {
  expect_all({{"div.s32 d, a, b;", {0xffff'fff9, 2}, 0xffff'fffd},
              {"rem.s32 d, a, b;", {0xffff'fff9, 2}, 0xffff'ffff},
              {"rem.s32 d, a, b;", {7, 0xffff'fffe}, 1},
              {"div.u32 d, a, b;", {0xffff'fff9, 2}, 0x7fff'fffc},
              {"rem.u32 d, a, b;", {0xffff'fff9, 4}, 1},
              {"div.s64 d, a, b;", {~0ull - 99, 10}, ~0ull - 9},
              {"rem.u64 d, a, b;", {101, 10}, 1},
              {"div.s16 d, a, b;", {0xfff9, 2}, 0xfffd}});
}

TEST(Arithmetic, QuotientsThatNoCpuWouldSurvive) {
  expect_all({{"div.u32 d, a, b;", {5, 0}, 0xffff'ffff},
              {"rem.u32 d, a, b;", {5, 0}, 5},
              {"div.s64 d, a, b;", {5, 0}, ~0ull},
              {"div.s32 d, a, b;", {0x8000'0000, 0xffff'ffff}, 0x8000'0000},
              {"rem.s32 d, a, b;", {0x8000'0000, 0xffff'ffff}, 0},
              {"div.s64 d, a, b;", {1ull << 63, ~0ull}, 1ull << 63},
              {"rem.s64 d, a, b;", {1ull << 63, ~0ull}, 0}});
}

TEST(Arithmetic, CarriesGoFromOneSumToTheNext) {
  expect_all(
      {{"add.cc.u32 e, a, b; addc.u32 d, c, 0;", {0xffff'ffff, 1, 7}, 8},
       {"add.cc.u32 e, a, b; addc.u32 d, c, 0;", {0xffff'fffe, 1, 7}, 7},
       {"add.cc.s64 e, a, b; addc.cc.s64 d, c, f;", {~0ull, 1, 7, 1}, 9},
       {"add.cc.s64 e, a, a; addc.cc.s64 e, b, c; addc.s64 d, 0, 0;", {1ull << 63, ~0ull, 0}, 1},
       {"sub.cc.u32 e, a, b; subc.u32 d, c, 0;", {0, 1, 7}, 6},
       {"sub.cc.u32 e, a, b; subc.u32 d, c, 0;", {1, 1, 7}, 7},
       {"sub.cc.u64 e, 0, 1; subc.cc.u64 e, a, a; subc.u64 d, b, 0;", {5, 9}, 8},
       {"mad.lo.cc.u32 e, a, b, c; madc.hi.u32 d, a, b, 0;", {0xffff'ffff, 0xffff'ffff, 0xffff'ffff}, 0xffff'ffff},
       {"mad.lo.cc.u64 e, a, b, c; madc.hi.u64 d, a, b, 5;", {1ull << 63, 2, 0}, 6}});
}

TEST(Arithmetic, CarriesBelongToTheirLanes) {
  BareWarp warp("add.cc.u32 d, a, b; addc.u32 e, 0, 0;");
  for (unsigned lane = 0; lane < kLanes; ++lane) warp[BareWarp::a][lane] = lane % 3 ? 0xffff'ffff : 5;
  warp[BareWarp::b].fill(1);
  warp.run(kAllLanes);
  for (unsigned lane = 0; lane < kLanes; ++lane) EXPECT_EQ(warp[BareWarp::e][lane], lane % 3 ? 1 : 0);
}

TEST(Arithmetic, ConversionsCutOffAndExtend) {
  EXPECT_EQ(result_of("cvt.u64.u32 d, a;", {0xf'8000'0000}), 0x8000'0000);
  EXPECT_EQ(result_of("cvt.s64.s32 d, a;", {0x8000'0000}), 0xffff'ffff'8000'0000u);
  EXPECT_EQ(result_of("cvt.u32.u64 d, a;", {0x1'2345'6789}, "b32"), 0x2345'6789);
  EXPECT_EQ(result_of("cvt.u16.u32 d, a;", {0x1'2345}, "b16"), 0x2345);
  EXPECT_EQ(result_of("cvt.u16.u8 d, a;", {0x1ff}, "b16"), 0xff);
  EXPECT_EQ(result_of("cvt.s32.s8 d, a;", {0x80}, "b32"), 0xffff'ff80);
  EXPECT_EQ(result_of("cvt.s32.s16 d, a;", {0x7fff}, "b32"), 0x7fff);
  EXPECT_EQ(result_of("cvt.u64.s32 d, a;", {0xffff'ffff}), ~0ull);
  EXPECT_EQ(result_of("cvt.s64.u32 d, a;", {0xffff'ffff}), 0xffff'ffff);
}

TEST(Arithmetic, ConversionsFillRegistersThatAreWiderThanTheirType) {
  EXPECT_EQ(result_of("cvt.s8.s32 d, a;", {0x1f0}, "b32"), 0xffff'fff0);
  EXPECT_EQ(result_of("cvt.s8.s32 d, a;", {0x1f0}, "b16"), 0xfff0);
  EXPECT_EQ(result_of("cvt.u8.s32 d, a;", {0x1f0}, "b32"), 0xf0);
  EXPECT_EQ(result_of("cvt.s16.s64 d, a;", {0x8000}, "b64"), 0xffff'ffff'ffff'8000u);
}

TEST(Arithmetic, ListsArePackedFromTheLowestUp) {
  EXPECT_EQ(result_of("mov.b64 d, {a, b};", {0xf'0000'0001, 2}), 0x2'0000'0001);
  EXPECT_EQ(result_of("mov.b32 d, {a, b};", {0xf'0001, 2}), 0x2'0001);
  EXPECT_EQ(result_of("mov.b64 d, {a, b, c, f};", {1, 2, 3, 4}), 0x0004'0003'0002'0001);
  EXPECT_EQ(result_of("mov.b32 d, {a, b, c, f};", {1, 2, 3, 4}), 0x0403'0201);
  EXPECT_EQ(result_of("mov.b64 {e, d}, a;", {0x2'0000'0001}), 2);
  EXPECT_EQ(result_of("mov.b64 {d, e}, a;", {0x2'0000'0001}), 1);
  EXPECT_EQ(result_of("mov.b32 {e, _}, a; mov.b32 {_, d}, a;", {0x8765'4321}), 0x8765);
  EXPECT_EQ(result_of("mov.b64 d, a; mov.b64 {d, e}, d;", {0x2'0000'0001}), 1);
  EXPECT_EQ(result_of("mov.b64 d, a; mov.b64 {_, d}, d;", {0x2'0000'0001}), 2);
}

TEST(Arithmetic, MovesOfConstants) {
  expect_all({{"mov.u32 d, -1;", {}, 0xffff'ffff},
              {"mov.b64 d, -1;", {}, ~0ull},
              {"mov.u64 d, 0xfedcba9876543210;", {}, 0xfedc'ba98'7654'3210u},
              {"mov.b16 d, -2;", {}, 0xfffe},
              {"mov.u32 d, WARP_SZ;", {}, 32},
              {"mov.u32 d, 4294967295U;", {}, 0xffff'ffff},
              {"mov.b32 d, 0f3F800000;", {}, 0x3f80'0000}});
}

TEST(Arithmetic, ActiveMaskIsOfTheLanesThatRun) {
  BareWarp warp("activemask.b32 d;");
  warp[BareWarp::d].fill(kBefore);
  warp.run(kSomeLanes);
  EXPECT_EQ(warp[BareWarp::d][1], kSomeLanes);
  EXPECT_EQ(warp[BareWarp::d][0], kBefore);
}

// An instruction and what plain C++ says of it.
struct Model {
  std::string instruction;
  std::function<std::uint64_t(const Operands&)> result;
};

std::vector<Model> models() {
  using U32 = std::uint32_t;
  using S32 = std::int32_t;
  using S64 = std::int64_t;
  return {
      {"add.s32 d, a, b;", [](const Operands& o) { return U32(o.a + o.b); }},
      {"sub.s64 d, a, b;", [](const Operands& o) { return o.a - o.b; }},
      {"mul.lo.s32 d, a, b;", [](const Operands& o) { return U32(o.a * o.b); }},
      {"mul.wide.u32 d, a, b;", [](const Operands& o) { return std::uint64_t{U32(o.a)} * U32(o.b); }},
      {"mad.lo.s64 d, a, b, c;", [](const Operands& o) { return o.a * o.b + o.c; }},
      {"min.s32 d, a, b;", [](const Operands& o) { return U32(std::min(S32(o.a), S32(o.b))); }},
      {"max.u64 d, a, b;", [](const Operands& o) { return std::max(o.a, o.b); }},
      {"max.s64 d, a, b;", [](const Operands& o) { return std::uint64_t(std::max(S64(o.a), S64(o.b))); }},
      {"div.u64 d, a, b;", [](const Operands& o) { return o.b ? o.a / o.b : ~0ull; }},
      {"shl.b32 d, a, c;", [](const Operands& o) { return U32(o.c) > 31 ? 0 : U32(o.a << U32(o.c)); }},
      {"shr.s64 d, a, c;", [](const Operands& o) { return std::uint64_t(S64(o.a) >> std::min(U32(o.c), 63u)); }},
      {"xor.b32 a, a, b; and.b32 d, a, c;", [](const Operands& o) { return U32((o.a ^ o.b) & o.c); }},
      {"popc.b32 d, a;", [](const Operands& o) { return std::uint64_t(__builtin_popcount(U32(o.a))); }},
  };
}

// Each lane has operands of its own, and a register may be source and destination at once.
TEST(Arithmetic, EachLaneHasItsOwnOperands) {
  std::mt19937_64 random(7);
  for (const Model& model : models()) {
    for (const LaneMask lanes : {kAllLanes, kSomeLanes}) {
      BareWarp warp(model.instruction);
      give(warp, {});
      std::array<Operands, kLanes> operands;
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        operands[lane] = {random(), random() >> random() % 64, random() % 70, 0};
        warp[BareWarp::a][lane] = operands[lane].a;
        warp[BareWarp::b][lane] = operands[lane].b;
        warp[BareWarp::c][lane] = operands[lane].c;
      }
      warp.run(lanes);
      for_each_lane(lanes, [&](unsigned lane) {
        EXPECT_EQ(warp[BareWarp::d][lane], model.result(operands[lane])) << model.instruction << " lane " << lane;
      });
    }
  }
}

TEST(Arithmetic, ARegisterMayBeSourceAndDestination) {
  BareWarp warp("add.u32 a, a, a;");
  for (unsigned lane = 0; lane < kLanes; ++lane) warp[BareWarp::a][lane] = lane;
  warp.run(kAllLanes);
  for (unsigned lane = 0; lane < kLanes; ++lane) EXPECT_EQ(warp[BareWarp::a][lane], 2 * lane);
}

TEST(Arithmetic, UnknownOpcodesHaveNoFunction) {
  for (const char* const opcode : {"add.f32", "add.b32", "mul.s32", "setp.lt.b32", "abs.u32", "cvt.f32.u32", ""}) {
    EXPECT_EQ(arithmetic(opcode), nullptr) << opcode;
  }
}

}  // namespace
}  // namespace cuda_machine::test
