// From PTX as compilers write it to instructions.
#include <gtest/gtest.h>

#include "simulator/arithmetic.h"
#include "simulator/finding.h"
#include "simulator/memory_access.h"
#include "simulator/test/bare_warp.h"
#include "simulator/test/ptx_text.h"

namespace cuda_machine::test {
namespace {

// Where those registers are, in the order of their declaration.
constexpr int kFirst16 = kSpecialRegisters, kFirst32 = kFirst16 + 4, kFirst64 = kFirst32 + 8;

Instruction instruction_of(const std::string& text) { return kernel_of(text).code.at(0); }

std::uint64_t constant_of(const Kernel& kernel, Operand operand) {
  EXPECT_LT(operand.index, 0);
  const auto& lanes = kernel.constants.at(static_cast<std::size_t>(~operand.index));
  EXPECT_EQ(lanes.front(), lanes.back());
  return lanes.front();
}

TEST(ParseModule, ArchitectureIsThatOfTheTarget) {
  EXPECT_EQ(parse_module(".version 8.0\n.target sm_75, debug\n.address_size 64\n").architecture, 75);
  EXPECT_EQ(parse_module(".version 8.0\n.target sm_90a\n").architecture, 90);
  EXPECT_THROW(parse_module(""), PtxError);
}

TEST(ParseModule, KernelsByTheirMangledNames) {
  const Module module = module_of(
      "// a comment\n.visible .entry _Z1av()\n.maxntid 32, 4, 2\n.minnctapersm 8\n{\nret;\n}\n"
      ".weak .entry b\n.reqntid 64\n{\nexit; /* and\n another */ }\n");
  ASSERT_EQ(module.kernels.size(), 2u);
  EXPECT_EQ(module.kernels.at("_Z1av").most_threads, 256u);
  EXPECT_EQ(module.kernels.at("_Z1av").code.at(0).control, Control::exit);
  EXPECT_EQ(module.kernels.at("b").most_threads, 64u);
  EXPECT_EQ(module.kernels.at("b").code.at(0).control, Control::exit);
}

TEST(ParseModule, ParametersLieAsInC) {
  const Kernel kernel = kernel_of("ld.param.u32 %r1, [c+4];\nmov.b64 %rd1, d;\n",
                                  ".param .u8 a, .param .align 2 .b8 b[6], .param .align 8 .b8 c[20],"
                                  ".param .u64 .ptr .global .align 4 d");
  ASSERT_EQ(kernel.parameters.size(), 4u);
  const auto expect_place = [&](std::size_t index, std::uint32_t offset, std::uint32_t size) {
    EXPECT_EQ(kernel.parameters[index].offset, offset) << index;
    EXPECT_EQ(kernel.parameters[index].size, size) << index;
  };
  expect_place(0, 0, 1);
  expect_place(1, 2, 6);
  expect_place(2, 8, 20);
  expect_place(3, 32, 8);
  EXPECT_EQ(kernel.parameter_bytes, 40u);
  const Instruction& load = kernel.code.at(0);
  EXPECT_EQ(load.memory.space, Space::param);
  EXPECT_EQ(constant_of(kernel, load.from[0]), 8u);
  EXPECT_EQ(load.memory.offset, 4);
  EXPECT_EQ(constant_of(kernel, kernel.code.at(1).from[0]), 32u);
}

TEST(ParseModule, SharedAndLocalVariablesHaveTheirPlaces) {
  const Kernel kernel = kernel_of(
      ".shared .align 4 .b8 a[6];\n.shared .align 16 .b8 b[2][8];\n.shared .u32 c;\n"
      ".local .align 8 .b8 __local_depot0[12];\n"
      "mov.u32 %r1, b;\nst.shared.u32 [c], %r1;\nmov.b64 %rd1, __local_depot0;\ncvta.local.u64 %rd2, %rd1;\n");
  EXPECT_EQ(kernel.shared_bytes, 36u);
  EXPECT_EQ(kernel.local_bytes, 12u);
  EXPECT_EQ(constant_of(kernel, kernel.code.at(0).from[0]), 16u);
  EXPECT_EQ(constant_of(kernel, kernel.code.at(1).from[0]), 32u);
  EXPECT_EQ(kernel.code.at(3).execute, local_to_generic);
}

TEST(ParseModule, SharedVariablesOfTheModuleAreOfTheKernelsThatUseThem) {
  const Module module = module_of(
      ".shared .align 8 .b8 a[24];\n.shared .align 8 .b8 b[8];\n"
      ".visible .entry uses()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, b;\nmov.u32 %r0, b;\n}\n.visible .entry "
      "does_not()\n{\n}\n");
  EXPECT_EQ(module.kernels.at("uses").shared_bytes, 8u);
  EXPECT_EQ(module.kernels.at("does_not").shared_bytes, 0u);
}

TEST(ParseModule, RegistersAreNumberedBehindTheSpecialOnes) {
  const Kernel kernel = kernel_of("add.s32 %r7, %tid.x, %laneid;\n");
  EXPECT_EQ(kernel.registers, static_cast<std::uint32_t>(kFirst64 + 8));
  EXPECT_EQ(kernel.predicates, 4u);
  const Instruction& add = kernel.code.at(0);
  EXPECT_EQ(add.execute, arithmetic("add.s32"));
  EXPECT_EQ(add.to[0].index, kFirst32 + 7);
  EXPECT_EQ(add.from[0].index, kTidX);
  EXPECT_EQ(add.from[1].index, kLaneId);
  EXPECT_EQ(add.destinations, 1);
  EXPECT_EQ(add.sources, 2);
  EXPECT_EQ(add.size, 4);
}

TEST(ParseModule, InnerScopesHideRegistersAndLabels) {
  const Kernel kernel = kernel_of(
      "{ .reg .b32 x; .reg .pred %p1; @%p1 add.s32 x, x, 1; bra done; add.s32 x, x, 2; done: mov.u32 %r1, x; }\n"
      "{ .reg .b32 x; bra done; bra outside; done: mov.u32 %r1, x; }\noutside: ret;\n");
  EXPECT_NE(kernel.code.at(0).to[0].index, kernel.code.at(6).from[0].index);
  EXPECT_EQ(kernel.code.at(0).guard.index, 4);
  EXPECT_EQ(kernel.code.at(1).target, 3);
  EXPECT_EQ(kernel.code.at(4).target, 6);
  EXPECT_EQ(kernel.code.at(5).target, 7);
}

TEST(ParseModule, GuardsAndBranches) {
  const Kernel kernel = kernel_of("$L__BB0_1:\n@%p2 bra $L__BB0_2;\n@!%p3 bra.uni $L__BB0_1;\n$L__BB0_2:\nret;\n");
  EXPECT_EQ(kernel.code.at(0).control, Control::branch);
  EXPECT_EQ(kernel.code.at(0).target, 2);
  EXPECT_EQ(kernel.code.at(0).guard.index, 2);
  EXPECT_FALSE(kernel.code.at(0).guard.negated);
  EXPECT_EQ(kernel.code.at(1).target, 0);
  EXPECT_TRUE(kernel.code.at(1).guard.negated);
  EXPECT_EQ(kernel.code.at(2).guard.index, PredicateOperand::kTrue);
}

TEST(ParseModule, PlacesInTheSourceAndTextOfTheInstruction) {
  const Kernel kernel = module_of(
                            ".visible .entry k()\n{\n.reg .b32 %r<3>;\n.loc\t1 20 5\nmov.u32 \t%r1,\n  7;\n"
                            ".loc 2 30 7, function_name $L__info_string0, inlined_at 1 20 5\nadd.s32 %r2, %r1, 1;\n}\n"
                            ".file\t1 \"/a/b.cu\"\n.file 2 \"/a/c.cuh\", 1700000000, 99\n"
                            ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90,{0}\n}\n")
                            .kernels.at("k");
  EXPECT_EQ(kernel.code.at(0).file, 1);
  EXPECT_EQ(kernel.code.at(0).line, 20);
  EXPECT_EQ(kernel.code.at(0).text, "mov.u32 %r1, 7");
  EXPECT_EQ(kernel.code.at(1).file, 2);
  EXPECT_EQ(kernel.code.at(1).line, 30);
  EXPECT_EQ(kernel.files.at(1), "/a/b.cu");
  EXPECT_EQ(kernel.files.at(2), "/a/c.cuh");
}

TEST(ParseModule, ConstantsAreKeptOnce) {
  const Kernel kernel =
      kernel_of("mov.u32 %r1, 16;\nmov.u32 %r2, 0x10;\nmov.u32 %r3, -16;\nmov.b32 %r4, 020;\nmov.b32 %r5, 0b10000;\n");
  EXPECT_EQ(kernel.constants.size(), 2u);
  EXPECT_EQ(constant_of(kernel, kernel.code.at(1).from[0]), 16u);
  EXPECT_EQ(constant_of(kernel, kernel.code.at(2).from[0]), ~0ull - 15);
  EXPECT_EQ(kernel.code.at(4).from[0].index, kernel.code.at(0).from[0].index);
}

TEST(ParseModule, Loads) {
  const Instruction load = instruction_of("ld.global.nc.L2::128B.v2.s16 {%r1, %r2}, [%rd3+-24];");
  EXPECT_EQ(load.execute, cuda_machine::load);
  EXPECT_EQ(load.memory.space, Space::global);
  EXPECT_EQ(load.memory.order, Order::weak);
  EXPECT_EQ(load.memory.size, 2);
  EXPECT_EQ(load.memory.elements, 2);
  EXPECT_TRUE(load.memory.is_signed);
  EXPECT_EQ(load.memory.offset, -24);
  EXPECT_EQ(load.size, 4);
  EXPECT_EQ(load.destinations, 2);
  EXPECT_EQ(load.to[1].index, kFirst32 + 2);
  EXPECT_EQ(load.from[0].index, kFirst64 + 3);
  EXPECT_EQ(instruction_of("ld.u64 %rd1, [%rd2];").memory.space, Space::generic);
  EXPECT_EQ(instruction_of("ld.shared::cta.u64 %rd1, [%rd2];").memory.space, Space::shared);
}

TEST(ParseModule, Stores) {
  const Instruction store = instruction_of("st.shared.v4.u32 [%r1+16], {%r2, 0, %r4, %r5};");
  EXPECT_EQ(store.execute, cuda_machine::store);
  EXPECT_EQ(store.memory.bytes(), 16u);
  EXPECT_EQ(store.memory.offset, 16);
  EXPECT_EQ(store.sources, 5);
  EXPECT_EQ(store.destinations, 0);
  EXPECT_EQ(store.from[4].index, kFirst32 + 5);
}

TEST(ParseModule, OrderAndScopeOfAccesses) {
  const auto access = [](const std::string& text) { return instruction_of(text).memory; };
  EXPECT_EQ(access("ld.relaxed.gpu.u32 %r1, [%rd1];").order, Order::relaxed);
  EXPECT_EQ(access("ld.acquire.sys.global.u32 %r1, [%rd1];").order, Order::acquire);
  EXPECT_EQ(access("ld.acquire.sys.global.u32 %r1, [%rd1];").scope, Scope::system);
  EXPECT_EQ(access("st.release.cta.u32 [%rd1], %r1;").order, Order::release);
  EXPECT_EQ(access("st.release.cta.u32 [%rd1], %r1;").scope, Scope::block);
  EXPECT_EQ(access("st.volatile.global.u32 [%rd1], %r1;").order, Order::relaxed);
  EXPECT_EQ(access("st.volatile.global.u32 [%rd1], %r1;").scope, Scope::system);
  EXPECT_EQ(access("st.weak.u32 [%rd1], %r1;").order, Order::weak);
}

TEST(ParseModule, AtomicOperations) {
  const Instruction swap = instruction_of("atom.global.acq_rel.sys.cas.b64 %rd1, [%rd2+8], %rd3, %rd4;");
  EXPECT_EQ(swap.execute, atomic);
  EXPECT_EQ(swap.memory.atomic, AtomicOperation::compare_and_swap);
  EXPECT_EQ(swap.memory.order, Order::acquire_release);
  EXPECT_EQ(swap.memory.scope, Scope::system);
  EXPECT_EQ(swap.memory.offset, 8);
  EXPECT_EQ(swap.sources, 3);
  const Instruction add = instruction_of("red.shared.add.u32 [%r1], 5;");
  EXPECT_EQ(add.execute, atomic);
  EXPECT_EQ(add.memory.order, Order::relaxed);
  EXPECT_EQ(add.memory.scope, Scope::gpu);
  EXPECT_EQ(add.destinations, 0);
  EXPECT_EQ(add.sources, 2);
  EXPECT_TRUE(instruction_of("atom.global.max.s64 %rd1, [%rd2], %rd3;").memory.is_signed);
}

TEST(ParseModule, UsedBytesAreOfTheNextLoadOnly) {
  const Kernel kernel = kernel_of(
      ".pragma \"nounroll\";\n.pragma \"used_bytes_mask 0xf0\";\nld.u64 %rd1, [%rd2];\nld.u64 %rd1, [%rd2];\n"
      ".pragma \"used_bytes_mask 7\";\nld.u32 %r1, [%rd2];\n");
  EXPECT_EQ(kernel.code.at(0).memory.used_bytes, 0xf0u);
  EXPECT_EQ(kernel.code.at(1).memory.used_bytes, ~0u);
  EXPECT_EQ(kernel.code.at(2).memory.used_bytes, 7u);
}

TEST(ParseModule, AddressConversions) {
  EXPECT_EQ(instruction_of("cvta.shared.u64 %rd1, %rd2;").execute, shared_to_generic);
  EXPECT_EQ(instruction_of("cvta.to.shared.u64 %rd1, %rd2;").execute, generic_to_shared);
  EXPECT_EQ(instruction_of("cvta.to.local.u64 %rd1, %rd2;").execute, generic_to_local);
  const Instruction global = instruction_of("cvta.to.global.u64 %rd1, %rd2;");
  EXPECT_NE(global.execute, nullptr);
  EXPECT_EQ(global.from[0].index, kFirst64 + 2);
}

TEST(ParseModule, Fences) {
  const Instruction block = instruction_of("membar.cta;"), gpu = instruction_of("membar.gl;"),
                    system = instruction_of("fence.acq_rel.sys;"), sequential = instruction_of("fence.sc.gpu;");
  for (const Instruction* const one : {&block, &gpu, &system, &sequential}) {
    EXPECT_TRUE(one->fence);
    EXPECT_EQ(one->execute, fence);
    EXPECT_EQ(one->memory.order, Order::acquire_release);
  }
  EXPECT_EQ(block.memory.scope, Scope::block);
  EXPECT_EQ(gpu.memory.scope, Scope::gpu);
  EXPECT_EQ(system.memory.scope, Scope::system);
}

TEST(ParseModule, Shuffles) {
  const Kernel kernel =
      kernel_of("shfl.sync.up.b32 %r1|%p2, %r3, 1, 0, -1;\nshfl.sync.idx.b32 %r1, %r2, %r3, 31, %r4;\n");
  const Instruction &up = kernel.code.at(0), &index = kernel.code.at(1);
  EXPECT_EQ(up.control, Control::warp_wide);
  EXPECT_EQ(up.execute, nullptr);
  EXPECT_EQ(up.warp_wide, WarpWide::shfl_up);
  EXPECT_EQ(up.to[0].index, kFirst32 + 1);
  EXPECT_EQ(up.predicate_to[0], 2);
  EXPECT_EQ(up.from[0].index, kFirst32 + 3);
  EXPECT_EQ(constant_of(kernel, up.from[3]), ~0ull);
  EXPECT_EQ(index.warp_wide, WarpWide::shfl_idx);
  EXPECT_EQ(index.predicate_to[0], -1);
  EXPECT_EQ(index.from[3].index, kFirst32 + 4);
}

TEST(ParseModule, VotesMatchesAndReductions) {
  for (const char* const ballot : {"vote.sync.ballot.b32 %r1, !%p2, %r3;", "vote.ballot.sync.b32 %r1, !%p2, %r3;"}) {
    const Instruction vote = instruction_of(ballot);
    EXPECT_EQ(vote.warp_wide, WarpWide::vote_ballot);
    EXPECT_EQ(vote.to[0].index, kFirst32 + 1);
    EXPECT_EQ(vote.predicate_from[0].index, 2);
    EXPECT_TRUE(vote.predicate_from[0].negated);
    EXPECT_EQ(vote.from[3].index, kFirst32 + 3);
  }
  const Instruction any = instruction_of("vote.sync.any.pred %p1, %p2, -1;");
  EXPECT_EQ(any.warp_wide, WarpWide::vote_any);
  EXPECT_EQ(any.predicate_to[0], 1);
  const Instruction match = instruction_of("match.all.sync.b64 %r1|%p1, %rd2, %r3;");
  EXPECT_EQ(match.warp_wide, WarpWide::match_all);
  EXPECT_EQ(match.size, 8);
  EXPECT_EQ(match.predicate_to[0], 1);
  EXPECT_EQ(match.from[3].index, kFirst32 + 3);
  const Instruction redux = instruction_of("redux.sync.min.s32 %r1, %r2, -1;");
  EXPECT_EQ(redux.warp_wide, WarpWide::redux_min);
  EXPECT_TRUE(redux.is_signed);
}

TEST(ParseModule, Barriers) {
  const Kernel kernel = kernel_of(
      "bar.warp.sync %r1;\nbar.sync 0;\nbarrier.sync.aligned 1, 64;\nbar.arrive 2, 64;\nbar.red.or.pred %p1, 0, %p2;\n"
      "bar.red.popc.u32 %r1, 3, 64, !%p2;\n");
  EXPECT_EQ(kernel.code.at(0).control, Control::warp_wide);
  EXPECT_EQ(kernel.code.at(0).warp_wide, WarpWide::sync);
  EXPECT_EQ(kernel.code.at(0).from[3].index, kFirst32 + 1);
  const auto expect_barrier = [&](std::size_t at, BarrierKind kind, unsigned number, unsigned threads) {
    EXPECT_EQ(kernel.code.at(at).control, Control::barrier) << at;
    EXPECT_EQ(kernel.code.at(at).barrier, kind) << at;
    EXPECT_EQ(constant_of(kernel, kernel.code.at(at).from[0]), number) << at;
    EXPECT_EQ(constant_of(kernel, kernel.code.at(at).from[1]), threads) << at;
  };
  expect_barrier(1, BarrierKind::sync, 0, 0);
  expect_barrier(2, BarrierKind::sync, 1, 64);
  expect_barrier(3, BarrierKind::arrive, 2, 64);
  expect_barrier(4, BarrierKind::red_or, 0, 0);
  expect_barrier(5, BarrierKind::red_popc, 3, 64);
  EXPECT_EQ(kernel.code.at(4).predicate_to[0], 1);
  EXPECT_EQ(kernel.code.at(4).predicate_from[0].index, 2);
  EXPECT_EQ(kernel.code.at(5).to[0].index, kFirst32 + 1);
  EXPECT_TRUE(kernel.code.at(5).predicate_from[0].negated);
}

TEST(ParseModule, WhatTheSchedulerDoes) {
  EXPECT_EQ(instruction_of("nanosleep.u32 %r1;").control, Control::sleep);
  EXPECT_EQ(instruction_of("exit;").control, Control::exit);
  EXPECT_EQ(instruction_of("griddepcontrol.wait;").control, Control::none);
  EXPECT_NE(instruction_of("griddepcontrol.wait;").execute, nullptr);
  EXPECT_NE(instruction_of("prefetch.global.L2 [%rd1];").execute, nullptr);
}

TEST(ParseModule, TrapsEndTheKernel) {
  BareWarp warp("trap;");
  EXPECT_THROW(warp.run(kAllLanes), KernelFault);
  forget_reports();
}

TEST(ParseModule, ResultsThatNobodyWantsGoIntoTheSink) {
  EXPECT_EQ(instruction_of("ld.v2.u32 {_, %r1}, [%rd1];").to[0].index, kSink);
  EXPECT_EQ(instruction_of("setp.lt.s32 _|%p1, %r1, %r2;").predicate_to[0], -1);
}

}  // namespace
}  // namespace cuda_machine::test
