// Comparisons, selections, and logic of predicates.
#include <gtest/gtest.h>

#include <utility>

#include "simulator/test/arithmetic_case.h"

namespace cuda_machine::test {
namespace {

TEST(ArithmeticPredicates, SelectionByPredicate) {
  BareWarp warp("selp.b32 d, a, b, r; selp.s64 e, a, b, !r;");
  give(warp, {0xf'0000'0001, 2});
  warp.set(BareWarp::r, 0x0f0f'0f0f);
  warp.run(kAllLanes);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(warp[BareWarp::d][lane], lane % 8 < 4 ? 1 : 2);
    EXPECT_EQ(warp[BareWarp::e][lane], lane % 8 < 4 ? 2 : 0xf'0000'0001);
  }
}

// The comparison of a and b, in all lanes and in some.
bool holds(const std::string& comparison, std::uint64_t a, std::uint64_t b) {
  BareWarp warp(comparison + " p, a, b;");
  give(warp, {a, b});
  warp.set(BareWarp::p, 0x5555'5555);
  warp.run(kSomeLanes);
  const LaneMask some = warp[BareWarp::p];
  warp.run(kAllLanes);
  const LaneMask all = warp[BareWarp::p];
  EXPECT_TRUE(all == 0 || all == kAllLanes) << comparison;
  EXPECT_EQ(some, (0x5555'5555 & ~kSomeLanes) | (all & kSomeLanes)) << comparison;
  return all != 0;
}

TEST(ArithmeticPredicates, ComparisonsBySign) {
  EXPECT_TRUE(holds("setp.lt.s32", 0xffff'ffff, 0));
  EXPECT_FALSE(holds("setp.lt.u32", 0xffff'ffff, 0));
  EXPECT_TRUE(holds("setp.gt.u32", 0xffff'ffff, 0));
  EXPECT_TRUE(holds("setp.le.s64", 1ull << 63, 0));
  EXPECT_FALSE(holds("setp.le.u64", 1ull << 63, 0));
  EXPECT_TRUE(holds("setp.ge.s32", 5, 5));
  EXPECT_FALSE(holds("setp.gt.s32", 5, 5));
  EXPECT_TRUE(holds("setp.le.u32", 5, 5));
  EXPECT_FALSE(holds("setp.lt.u16", 5, 5));
  EXPECT_TRUE(holds("setp.lt.s16", 0x8000, 0x7fff));
  EXPECT_TRUE(holds("setp.eq.b16", 0x1'0005, 5));
  EXPECT_FALSE(holds("setp.ne.s16", 0x1'0005, 5));
  EXPECT_TRUE(holds("setp.eq.s32", 0xf'0000'0005, 5));
  EXPECT_FALSE(holds("setp.eq.b64", 0xf'0000'0005, 5));
  EXPECT_TRUE(holds("setp.ne.u32", 4, 5));
}

TEST(ArithmeticPredicates, ComparisonsWithoutASignHaveWordsOfTheirOwn) {
  EXPECT_TRUE(holds("setp.lo.u32", 4, 0xffff'ffff));
  EXPECT_TRUE(holds("setp.ls.u32", 4, 4));
  EXPECT_TRUE(holds("setp.hi.u64", ~0ull, 4));
  EXPECT_FALSE(holds("setp.hs.u16", 3, 4));
}

TEST(ArithmeticPredicates, ComparisonsGiveTheirOppositeToo) {
  BareWarp warp("setp.lt.u32 p|q, a, b;");
  for (unsigned lane = 0; lane < kLanes; ++lane) warp[BareWarp::a][lane] = lane;
  warp[BareWarp::b].fill(8);
  warp.run(kAllLanes);
  EXPECT_EQ(warp[BareWarp::p], 0x0000'00ffu);
  EXPECT_EQ(warp[BareWarp::q], 0xffff'ff00u);
}

TEST(ArithmeticPredicates, ComparisonsTogetherWithAPredicate) {
  const LaneMask less = 0x0000'00ff, other = 0x0f0f'0f0f;
  const auto both = [&](const std::string& instruction) {
    BareWarp warp(instruction);
    for (unsigned lane = 0; lane < kLanes; ++lane) warp[BareWarp::a][lane] = lane;
    warp[BareWarp::b].fill(8);
    warp.set(BareWarp::r, other);
    warp.run(kAllLanes);
    return std::pair(warp[BareWarp::p], warp[BareWarp::q]);
  };
  EXPECT_EQ(both("setp.lt.and.u32 p|q, a, b, r;"), std::pair(less & other, ~less & other));
  EXPECT_EQ(both("setp.lt.or.u32 p|q, a, b, r;"), std::pair(less | other, ~less | other));
  EXPECT_EQ(both("setp.lt.xor.u32 p|q, a, b, r;"), std::pair(less ^ other, ~less ^ other));
  EXPECT_EQ(both("setp.lt.and.u32 p|q, a, b, !r;"), std::pair(less & ~other, ~less & ~other));
}

TEST(ArithmeticPredicates, LogicOfPredicates) {
  const LaneMask r = 0x0000'ffff, s = 0x00ff'00ff;
  const auto result = [&](const std::string& instruction, LaneMask lanes = kAllLanes) {
    BareWarp warp(instruction);
    warp.set(BareWarp::p, 0);
    warp.set(BareWarp::r, r);
    warp.set(BareWarp::s, s);
    warp.run(lanes);
    return warp[BareWarp::p];
  };
  EXPECT_EQ(result("and.pred p, r, s;"), r & s);
  EXPECT_EQ(result("and.pred p, r, !s;"), r & ~s);
  EXPECT_EQ(result("or.pred p, r, s;"), r | s);
  EXPECT_EQ(result("xor.pred p, r, s;"), r ^ s);
  EXPECT_EQ(result("not.pred p, r;"), ~r);
  EXPECT_EQ(result("mov.pred p, r;"), r);
  EXPECT_EQ(result("mov.pred p, 1;"), kAllLanes);
  EXPECT_EQ(result("mov.pred p, -1;"), kAllLanes);
  EXPECT_EQ(result("mov.pred p, 1; mov.pred p, 0;"), 0u);
  EXPECT_EQ(result("not.pred p, r;", kSomeLanes), ~r & kSomeLanes);
}

}  // namespace
}  // namespace cuda_machine::test
