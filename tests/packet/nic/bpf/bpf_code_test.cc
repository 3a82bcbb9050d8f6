// Instructions, and that a program of them runs.
#include "packet/nic/bpf/bpf_code.h"

#include <gtest/gtest.h>

namespace warpmeter::test {
namespace {

using R = BpfRegister;

TEST(BpfCode, EncodesAsTheKernelReads) {
  BpfCode code;
  code.move(R::kept1, R::argument1);
  code.set(R::result, 7);
  code.load32(R::argument2, R::kept1, 16);
  code.store64(R::stack, -8, R::result);
  code.exit();
  const auto& made = code.instructions();
  ASSERT_EQ(made.size(), 5u);
  EXPECT_EQ(made[0].code, 0xbf);
  EXPECT_EQ(made[0].dst_reg, 6);
  EXPECT_EQ(made[0].src_reg, 1);
  EXPECT_EQ(made[1].code, 0xb7);
  EXPECT_EQ(made[1].imm, 7);
  EXPECT_EQ(made[2].code, 0x61);
  EXPECT_EQ(made[2].off, 16);
  EXPECT_EQ(made[3].code, 0x7b);
  EXPECT_EQ(made[3].dst_reg, 10);
  EXPECT_EQ(made[3].off, -8);
  EXPECT_EQ(made[4].code, 0x95);
}

TEST(BpfCode, JumpsCountFromTheNextInstruction) {
  BpfCode code;
  const auto end = code.label(), middle = code.label();
  code.jump_if(R::argument1, BpfIs::equal, 1, end);
  code.jump_if(R::argument1, BpfIs::above, R::argument2, middle);
  code.set(R::result, 0);
  code.place(middle);
  code.jump(end);
  code.set(R::result, 1);
  code.place(end);
  code.exit();
  const auto& made = code.instructions();
  EXPECT_EQ(made[0].off, 4);
  EXPECT_EQ(made[1].off, 1);
  EXPECT_EQ(made[3].off, 1);
}

TEST(BpfCode, LowerHalvesHaveInstructionsOfTheirOwn) {
  BpfCode code;
  const auto end = code.label();
  code.set32(R::kept2, 0xffffffff);
  code.compute32(BpfOperation::shift_right, R::kept2, R::argument1);
  code.jump_if32(R::kept2, BpfIs::at_most, 12, end);
  code.load_from_frame(BpfSize::half, 12);
  code.place(end);
  const auto& made = code.instructions();
  ASSERT_EQ(made.size(), 4u);
  EXPECT_EQ(made[0].code, 0xb4);
  EXPECT_EQ(made[0].imm, -1);
  EXPECT_EQ(made[1].code, 0x7c);
  EXPECT_EQ(made[1].src_reg, 1);
  EXPECT_EQ(made[2].code, 0xb6);
  EXPECT_EQ(made[2].off, 1);
  EXPECT_EQ(made[3].code, 0x28);
  EXPECT_EQ(made[3].imm, 12);
}

TEST(BpfCode, AJumpThatIsTooLongIsTold) {
  BpfCode code;
  const auto end = code.label(), nowhere = code.label();
  code.jump(end);
  for (int i = 0; i < 32767; ++i) code.set(R::result, 0);
  EXPECT_TRUE(code.is_jumped_to(end));
  EXPECT_FALSE(code.is_jumped_to(nowhere));
  BpfCode longer = code;
  code.place(end);
  EXPECT_FALSE(code.is_too_long());
  EXPECT_EQ(code.instructions()[0].off, 32767);
  longer.set(R::result, 0);
  longer.place(end);
  EXPECT_TRUE(longer.is_too_long());
}

TEST(BpfCode, AMapTakesTwoInstructions) {
  BpfCode code;
  code.load_map(R::argument1, 42);
  ASSERT_EQ(code.instructions().size(), 2u);
  EXPECT_EQ(code.instructions()[0].code, 0x18);
  EXPECT_EQ(code.instructions()[0].src_reg, BPF_PSEUDO_MAP_FD);
  EXPECT_EQ(code.instructions()[0].imm, 42);
  EXPECT_EQ(code.instructions()[1].code, 0);
}

}  // namespace
}  // namespace warpmeter::test
