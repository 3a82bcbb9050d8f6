// Logic, shifts, counts, fields and bytes, at the edges.
#include <gtest/gtest.h>

#include "simulator/test/arithmetic_case.h"

namespace cuda_machine::test {
namespace {

TEST(ArithmeticBits, Logic) {
  expect_all({{"and.b32 d, a, b;", {0xff00'ff00, 0x0ff0'0ff0}, 0x0f00'0f00},
              {"or.b64 d, a, b;", {1ull << 63, 1}, (1ull << 63) | 1},
              {"xor.b16 d, a, b;", {0xffff, 0x00ff}, 0xff00},
              {"not.b32 d, a;", {0}, 0xffff'ffff},
              {"not.b64 d, a;", {1}, ~0ull - 1},
              {"lop3.b32 d, a, b, c, 0x96;", {0xf0f0, 0xff00, 0xaaaa}, 0xf0f0 ^ 0xff00 ^ 0xaaaa},
              {"lop3.b32 d, a, b, c, 0xca;", {0xff00, 0x1234, 0x5678}, 0x1278},  // a ? b : c
              {"lop3.b32 d, a, b, c, 0x80;", {0xff, 0x3c, 0x0f}, 0x0c},
              {"lop3.b32 d, a, b, c, 1;", {0xff, 0x3c00, 0x0f'0000}, 0xfff0'c300}});
}

TEST(ArithmeticBits, ShiftsByTheWidthAndMore) {
  expect_all({{"shl.b32 d, a, b;", {3, 31}, 0x8000'0000},
              {"shl.b32 d, a, b;", {3, 32}, 0},
              {"shl.b32 d, a, b;", {3, 0xffff'ffff}, 0},
              {"shl.b16 d, a, b;", {3, 15}, 0x8000},
              {"shl.b16 d, a, b;", {3, 16}, 0},
              {"shl.b64 d, a, b;", {3, 63}, 1ull << 63},
              {"shl.b64 d, a, b;", {3, 64}, 0},
              {"shr.u32 d, a, b;", {0x8000'0000, 31}, 1},
              {"shr.u32 d, a, b;", {0x8000'0000, 32}, 0},
              {"shr.b32 d, a, b;", {0x8000'0000, 33}, 0},
              {"shr.s32 d, a, b;", {0x8000'0000, 4}, 0xf800'0000},
              {"shr.s32 d, a, b;", {0x8000'0000, 40}, 0xffff'ffff},
              {"shr.s32 d, a, b;", {0x7000'0000, 40}, 0},
              {"shr.s16 d, a, b;", {0x8000, 16}, 0xffff},
              {"shr.u16 d, a, b;", {0x8000, 15}, 1},
              {"shr.s64 d, a, b;", {1ull << 63, 63}, ~0ull},
              {"shr.s64 d, a, b;", {1ull << 63, 64}, ~0ull},
              {"shr.u64 d, a, b;", {~0ull, 64}, 0}});
}

TEST(ArithmeticBits, FunnelShifts) {
  const Operands operands{0x89ab'cdef, 0x0123'4567, 8};
  expect_all({{"shf.l.wrap.b32 d, a, b, c;", operands, 0x2345'6789},
              {"shf.r.wrap.b32 d, a, b, c;", operands, 0x6789'abcd},
              {"shf.l.wrap.b32 d, a, b, 40;", operands, 0x2345'6789},
              {"shf.r.wrap.b32 d, a, b, 32;", operands, 0x89ab'cdef},
              {"shf.l.clamp.b32 d, a, b, 40;", operands, 0x89ab'cdef},
              {"shf.r.clamp.b32 d, a, b, 40;", operands, 0x0123'4567},
              {"shf.l.clamp.b32 d, a, b, 0;", operands, 0x0123'4567}});
}

TEST(ArithmeticBits, CountsAndSearches) {
  expect_all({{"popc.b32 d, a;", {0xf'8000'0001}, 2},
              {"popc.b64 d, a;", {~0ull}, 64},
              {"clz.b32 d, a;", {1}, 31},
              {"clz.b32 d, a;", {0xf'0000'0000}, 32},
              {"clz.b64 d, a;", {0}, 64},
              {"brev.b32 d, a;", {0x8000'0002}, 0x4000'0001},
              {"brev.b32 d, a;", {0x1234'5678}, 0x1e6a'2c48},
              {"brev.b64 d, a;", {0x1234'5678}, 0x1e6a'2c48'0000'0000u},
              {"brev.b64 d, a;", {1}, 1ull << 63},
              {"bfind.u32 d, a;", {0x8000'0000}, 31},
              {"bfind.u32 d, a;", {1}, 0},
              {"bfind.u32 d, a;", {0}, 0xffff'ffff},
              {"bfind.u64 d, a;", {1ull << 40}, 40},
              {"bfind.s32 d, a;", {0xffff'ffff}, 0xffff'ffff},
              {"bfind.s32 d, a;", {0xffff'fff0}, 3},
              {"bfind.s64 d, a;", {1ull << 62}, 62},
              {"bfind.shiftamt.u32 d, a;", {1}, 31},
              {"bfind.shiftamt.u32 d, a;", {0}, 0xffff'ffff},
              {"bfind.shiftamt.s32 d, a;", {0xffff'fff0}, 28}});
}

TEST(ArithmeticBits, FieldsOfBits) {
  expect_all({{"bfe.u32 d, a, b, c;", {0x1234'5678, 8, 12}, 0x456},
              {"bfe.u32 d, a, b, c;", {0x1234'5678, 8, 0}, 0},
              {"bfe.u32 d, a, b, c;", {0xffff'ffff, 28, 12}, 0xf},
              {"bfe.u32 d, a, b, c;", {0xffff'ffff, 0, 32}, 0xffff'ffff},
              {"bfe.u32 d, a, b, c;", {0xffff'ffff, 40, 4}, 0},
              {"bfe.u32 d, a, b, c;", {0x1234'5678, 0x108, 0x10c}, 0x456},
              {"bfe.s32 d, a, b, c;", {0x0000'0f00, 8, 4}, 0xffff'ffff},
              {"bfe.s32 d, a, b, c;", {0x0000'0700, 8, 4}, 7},
              {"bfe.s32 d, a, b, c;", {0x8000'0000, 28, 12}, 0xffff'fff8},
              {"bfe.s32 d, a, b, c;", {0x8000'0000, 50, 3}, 0xffff'ffff},
              {"bfe.s32 d, a, b, c;", {0x8000'0000, 31, 0}, 0},
              {"bfe.u64 d, a, b, c;", {~0ull, 60, 64}, 0xf},
              {"bfe.s64 d, a, b, c;", {1ull << 39, 32, 8}, 0xffff'ffff'ffff'ff80u},
              {"bfi.b32 d, a, b, c, f;", {0xabcd, 0xffff'ffff, 8, 8}, 0xffff'cdff},
              {"bfi.b32 d, a, b, c, f;", {0xff, 0, 28, 8}, 0xf000'0000},
              {"bfi.b32 d, a, b, c, f;", {0xff, 0x77, 4, 0}, 0x77},
              {"bfi.b32 d, a, b, c, f;", {0xff, 0x77, 32, 8}, 0x77},
              {"bfi.b32 d, a, b, c, f;", {0x1234, 0x77, 0, 32}, 0x1234},
              {"bfi.b64 d, a, b, c, f;", {0x1234, 0x77, 32, 32}, 0x1234'0000'0077},
              {"bmsk.clamp.b32 d, a, b;", {4, 8}, 0xff0},
              {"bmsk.clamp.b32 d, a, b;", {4, 40}, 0xffff'fff0},
              {"bmsk.clamp.b32 d, a, b;", {32, 8}, 0},
              {"bmsk.clamp.b32 d, a, b;", {0, 0}, 0},
              {"bmsk.clamp.b32 d, a, b;", {0, 32}, 0xffff'ffff},
              {"bmsk.wrap.b32 d, a, b;", {36, 40}, 0xff0}});
}

TEST(ArithmeticBits, BytesAreChosenBySelectorAndMode) {
  const Operands operands{0x8372'6150, 0x0706'85f4};
  expect_all({{"prmt.b32 d, a, b, 0x3210;", operands, 0x8372'6150},
              {"prmt.b32 d, a, b, 0x7654;", operands, 0x0706'85f4},
              {"prmt.b32 d, a, b, 0x0123;", operands, 0x5061'7283},
              {"prmt.b32 d, a, b, 0x7440;", operands, 0x07f4'f450},
              {"prmt.b32 d, a, b, 0xb8dc;", operands, 0xff00'ffff},  // the top bit: only the sign
              {"prmt.b32.f4e d, a, b, 3;", operands, 0x0685'f483},
              {"prmt.b32.b4e d, a, b, 1;", operands, 0x0607'5061},
              {"prmt.b32.rc8 d, a, b, 2;", operands, 0x7272'7272},
              {"prmt.b32.ecl d, a, b, 1;", operands, 0x8372'6161},
              {"prmt.b32.ecr d, a, b, 1;", operands, 0x6161'6150},
              {"prmt.b32.rc16 d, a, b, 1;", operands, 0x8372'8372},
              {"prmt.b32.rc16 d, a, b, 6;", operands, 0x6150'6150}});
}

}  // namespace
}  // namespace cuda_machine::test
