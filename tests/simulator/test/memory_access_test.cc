#include "simulator/test/snippet.h"

namespace cuda_machine::test {
namespace {

using MemoryAccess = MachineTest;
using Words = std::vector<std::uint32_t>;

Words result_of(const std::string& body, const Words& memory, unsigned threads = 1) {
  Snippet snippet(body);
  snippet.give_memory(memory);
  snippet.run(threads);
  return snippet.words();
}

TEST_F(MemoryAccess, Vectors) {
  EXPECT_EQ(result_of("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1];\nst.global.v2.u32 [%rd1+16], {%r5, %r2};\n",
                      {1, 2, 3, 4, 0, 0}),
            (Words{1, 2, 3, 4, 4, 1}));
}

TEST_F(MemoryAccess, NarrowAndSigned) {
  EXPECT_EQ(result_of("ld.global.s8 %r2, [%rd1];\nld.global.u8 %r3, [%rd1];\nld.global.s16 %r4, [%rd1];\n"
                      "st.global.u32 [%rd1+4], %r2;\nst.global.u32 [%rd1+8], %r3;\nst.global.u32 [%rd1+12], %r4;\n"
                      "st.global.u8 [%rd1+17], %r3;\n",
                      {0x8180, 0, 0, 0, 0x11111111}),
            (Words{0x8180, 0xffffff80, 0x80, 0xffff8180, 0x11118011}));
}

TEST_F(MemoryAccess, AtomicOperations) {
  EXPECT_EQ(result_of("atom.global.cas.b64 %rd2, [%rd1], 7, 9;\natom.global.cas.b64 %rd3, [%rd1], 7, 11;\n"
                      "st.global.u64 [%rd1+8], %rd3;\natom.global.min.u32 %r2, [%rd1+16], 3;\n"
                      "atom.global.max.s64 %rd4, [%rd1+24], -5;\nred.global.add.u32 [%rd1+16], 40;\n"
                      "atom.global.exch.b32 %r3, [%rd1+20], %r2;\n",
                      {7, 0, 0, 0, 8, 1, 0xfffffff0, 0xffffffff}),
            (Words{9, 0, 9, 0, 43, 8, 0xfffffffb, 0xffffffff}));
}

TEST_F(MemoryAccess, LocalSharedAndParametersByGenericAddress) {
  EXPECT_EQ(result_of(".local .align 8 .b8 depot[16];\nmov.u64 %rd2, depot;\ncvta.local.u64 %rd3, %rd2;\n"
                      "st.u32 [%rd3+4], 5;\nld.local.u32 %r2, [%rd2+4];\nst.u32 [%rd1], %r2;\n",
                      {0}),
            Words{5});
}

void expect_fault(const std::string& body, Finding finding) {
  Snippet snippet(body);
  snippet.give_memory({1, 2, 3});
  EXPECT_THROW(snippet.run(1), KernelFault) << body;
  EXPECT_EQ(reports_made(finding), 1u) << body;
  forget_reports();
}

TEST_F(MemoryAccess, WhatIsNotThereIsAFault) {
  expect_fault("ld.global.u32 %r2, [%rd1+12];\n", Finding::out_of_bounds);
  expect_fault("ld.global.u64 %rd2, [%rd1+8];\n", Finding::out_of_bounds);
  expect_fault("st.global.u32 [%rd1+-4], 0;\n", Finding::out_of_bounds);
  expect_fault("mov.u64 %rd2, 64;\nst.global.u32 [%rd2], 0;\n", Finding::out_of_bounds);
  expect_fault("ld.shared.u32 %r2, [4];\n", Finding::out_of_bounds);
}

TEST_F(MemoryAccess, MisalignedIsAFault) {
  expect_fault("ld.global.u32 %r2, [%rd1+2];\n", Finding::misaligned);
  expect_fault("ld.global.v2.u32 {%r2, %r3}, [%rd1+4];\n", Finding::misaligned);
}

TEST_F(MemoryAccess, WhatNobodyWroteIsReported) {
  Snippet snippet("st.global.u32 [%rd1], 1;\nld.global.u32 %r2, [%rd1];\nld.global.u64 %rd2, [%rd1];\n");
  snippet.give_unwritten_memory(2);
  snippet.run(1);
  EXPECT_EQ(reports_made(Finding::unwritten), 1u);
}

TEST_F(MemoryAccess, BytesOfALoadThatAreNotUsedNeedNotBeWritten) {
  Snippet snippet("st.global.u32 [%rd1], 1;\n.pragma \"used_bytes_mask 0xf\";\nld.global.u64 %rd2, [%rd1];\n");
  snippet.give_unwritten_memory(2);
  snippet.run(1);
  EXPECT_EQ(reports_made(), 0u);
}

}  // namespace
}  // namespace cuda_machine::test
