// Instructions with operands, and what must come of them in all lanes and in some.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simulator/test/bare_warp.h"

namespace cuda_machine::test {

inline constexpr std::uint64_t kBefore = 0x1234'5678'9abc'def0u;  // what a result's register held
inline constexpr LaneMask kSomeLanes = 0x8001'0f02u;

// Operands, the same in all lanes.
struct Operands {
  std::uint64_t a = 0, b = 0, c = 0, f = 0;
};

inline void give(BareWarp& warp, const Operands& operands) {
  warp[BareWarp::a].fill(operands.a);
  warp[BareWarp::b].fill(operands.b);
  warp[BareWarp::c].fill(operands.c);
  warp[BareWarp::f].fill(operands.f);
  warp[BareWarp::d].fill(kBefore);
  warp[BareWarp::e].fill(kBefore);
}

// What d holds after the instructions; checked in all lanes, and that lanes which do not run keep what they had.
inline std::uint64_t result_of(const std::string& instructions, const Operands& operands,
                               const std::string& type_of_d = "b64") {
  BareWarp warp(instructions, type_of_d);
  give(warp, operands);
  warp.run(kAllLanes);
  const std::uint64_t result = warp[BareWarp::d][0];
  for (unsigned lane = 0; lane < kLanes; ++lane) EXPECT_EQ(warp[BareWarp::d][lane], result) << instructions << lane;
  give(warp, operands);
  warp.run(kSomeLanes);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    EXPECT_EQ(warp[BareWarp::d][lane], kSomeLanes >> lane & 1 ? result : kBefore) << instructions << lane;
  }
  return result;
}

struct Case {
  std::string instruction;
  Operands operands;
  std::uint64_t result;
};

inline void expect_all(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    EXPECT_EQ(result_of(one.instruction, one.operands), one.result)
        << one.instruction << std::hex << " of " << one.operands.a << ", " << one.operands.b << ", " << one.operands.c;
  }
}

}  // namespace cuda_machine::test
