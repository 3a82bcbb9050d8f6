// PTX that is refused, and what is said of it.
#include <gtest/gtest.h>

#include "simulator/test/ptx_text.h"

namespace cuda_machine::test {
namespace {

// The error's sentence; empty if there was none.
std::string error_of(const std::string& body) {
  try {
    kernel_of(body);
  } catch (const PtxError& error) {
    return error.what();
  }
  return {};
}

std::string module_error_of(const std::string& text) {
  try {
    module_of(text);
  } catch (const PtxError& error) {
    return error.what();
  }
  return {};
}

void expect_error(const std::string& error, const std::string& line, const std::string& what) {
  EXPECT_NE(error.find("`" + line + "`"), std::string::npos) << error;
  EXPECT_NE(error.find(what), std::string::npos) << error;
}

TEST(ParseErrors, UnknownInstructionsAreErrorsWithTheirLine) {
  expect_error(error_of("ret;\n\tfrobnicate.s32 %r1, %r2;\n"), "frobnicate.s32 %r1, %r2;", "unknown instruction");
  EXPECT_EQ(error_of("frobnicate.s32 %r1, %r2;\n").substr(0, 8), "line 10:");
  for (const char* const wrong :
       {"add.f32 %r1, %r2, %r3;", "shfl.idx.b32 %r1, %r2, 1, 31;", "bar.sync.often 0;", "setp.lt.f32 %p1, %r1, %r2;",
        "vote.sync.most.pred %p1, %p2, -1;", "call.uni (), f, ();", "redux.sync.add.f32 %r1, %r2, -1;"}) {
    EXPECT_NE(error_of(wrong), "") << wrong;
  }
}

TEST(ParseErrors, UnknownModifiersAreErrors) {
  for (const char* const wrong :
       {"ld.constant.u32 %r1, [%rd1];", "ld.global.f32 %r1, [%rd1];", "ld.global.v3.u32 {%r1, %r2, %r3}, [%rd1];",
        "ld.global.L2::cache_hint.u32 %r1, [%rd1], %rd2;", "atom.global.mul.u32 %r1, [%rd1], %r2;",
        "atom.global.u32 %r1, [%rd1], %r2;", "fence.proxy.async;", "fence.acq_rel;", "cvta.param.u64 %rd1, %rd2;"}) {
    EXPECT_NE(error_of(wrong), "") << wrong;
  }
}

TEST(ParseErrors, WrongOperandsAreErrors) {
  for (const char* const wrong :
       {"add.s32 %r1;", "add.s32 %r1, %p1, 1;", "add.s32 5, %r1, 1;", "mov.u32 %r1, nobody;", "mov.u32 %r99, 1;",
        "setp.lt.s32 %r1, %r2, %r3;", "setp.lt.s32 %p1, %r2;", "setp.lt.and.s32 %p1, %r2, %r3;",
        "selp.b32 %r1, %r2, %r3;", "ld.u32 %r1, %rd1;", "ld.v2.u32 %r1, [%rd1];", "st.param.u32 [first], %r1;",
        "mov.b64 {%r1, %r2, %r3}, %rd1;", "bar.sync;", "@%r1 ret;", "ret", "mov.u32 %r1, 12monkeys;",
        "atom.cas.b32 %r1, [%rd1], %r2;"}) {
    EXPECT_NE(error_of(wrong), "") << wrong;
  }
}

TEST(ParseErrors, NamesOfScopesThatEndedAreErrors) {
  expect_error(error_of("{ .reg .b32 x;\n}\nadd.s32 x, x, 1;\n"), "add.s32 x, x, 1;", "`x` is not declared");
}

TEST(ParseErrors, MissingAndDoubledLabelsAreErrors) {
  EXPECT_NE(error_of("bra nowhere;\n").find("`bra nowhere`: there is no such label"), std::string::npos);
  EXPECT_NE(error_of("bra inside;\n{ inside: ret; }\n"), "");
  EXPECT_NE(error_of("a: ret;\na: ret;\n").find("label `a` stands twice"), std::string::npos);
}

TEST(ParseErrors, DirectivesThatAreUnknownAreErrors) {
  expect_error(module_error_of(".frobnicate 5\n"), ".frobnicate 5", "unknown directive .frobnicate");
  expect_error(module_error_of(".visible .func f()\n{\nret;\n}\n"), ".visible .func f()", ".func");
  expect_error(error_of(".branchtargets a, b;\n"), ".branchtargets a, b;", "unknown directive");
  EXPECT_NE(module_error_of(".visible .entry k()\n{\nret;\n"), "");
  EXPECT_NE(module_error_of(".visible .entry k(){}\n.visible .entry k(){}\n"), "");
}

TEST(ParseErrors, VariablesOfTheModuleAreErrorsOnlyWhereUsed) {
  const std::string variables =
      ".global .align 1 .b8 a[1];\n.global .align 4 .u32 b[2] = {1, 2};\n.const .align 8 .b8 c[8];\n"
      ".extern .shared .align 16 .b8 d[];\n";
  EXPECT_EQ(module_error_of(variables), "");
  for (const char* const name : {"a", "b", "c", "d"}) {
    const std::string error =
        module_error_of(variables + ".visible .entry k()\n{\n.reg .b64 %rd<2>;\nmov.u64 %rd1, " + name + ";\n}\n");
    expect_error(error, std::string("mov.u64 %rd1, ") + name + ";", "not supported");
  }
}

}  // namespace
}  // namespace cuda_machine::test
