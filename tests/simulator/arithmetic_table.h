// How instructions work on all lanes, and how they get into the table of opcodes.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <unordered_map>

#include "simulator/instruction.h"
#include "simulator/warp.h"

namespace cuda_machine {

using ArithmeticTable = std::unordered_map<std::string, Execute>;

void add_sums_and_products(ArithmeticTable& table);  // add, sub, mul, mad, div, rem, min, max, neg, abs
void add_carry_chains(ArithmeticTable& table);       // add.cc, addc and their like
void add_bit_operations(ArithmeticTable& table);     // and, or, xor, not, shl, shr, popc, bfe and their like
void add_predicates(ArithmeticTable& table);         // setp, selp, and those of type .pred
void add_moves(ArithmeticTable& table);              // mov, cvt, activemask

// Types that an instruction exists for.
template <class... T>
struct Types {};
using Integers = Types<std::uint16_t, std::int16_t, std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>;
using SignedIntegers = Types<std::int16_t, std::int32_t, std::int64_t>;
using LongIntegers = Types<std::uint32_t, std::int32_t, std::uint64_t, std::int64_t>;
using Bits = Types<std::uint16_t, std::uint32_t, std::uint64_t>;
using LongBits = Types<std::uint32_t, std::uint64_t>;

// Calls f(T{}) for each of them.
template <class F, class... T>
void for_types(Types<T...>, F f) {
  (f(T{}), ...);
}

// ".s32", ".u32"; ".b32".
template <class T>
std::string integer_suffix() {
  return (std::is_signed_v<T> ? ".s" : ".u") + std::to_string(8 * sizeof(T));
}
template <class T>
std::string bits_suffix() {
  return ".b" + std::to_string(8 * sizeof(T));
}

// What a register holds of a value: the bits above it are 0.
template <class T>
std::uint64_t in_register(T value) {
  return static_cast<std::make_unsigned_t<T>>(value);
}

// Sets the register to value(lane) for these lanes. Values may read the same register. All lanes at once go by way of
// an array that nothing else can point to, so that compilers make vector instructions of the loop.
template <class F>
inline __attribute__((always_inline)) void set_lanes(Warp::Values& to, LaneMask lanes, F value) {
  if (lanes == kAllLanes) {
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (unsigned lane = 0; lane < kLanes; ++lane) to[lane] = value(lane);
  } else {
    for_each_lane(lanes, [&](unsigned lane) { to[lane] = value(lane); });
  }
}

// Execute functions that apply F{} to each lane's operands of types A, B and C.
template <class F, class A>
void unary(Warp& warp, const Instruction& instruction, LaneMask lanes) {
  const Warp::Values& a = warp.from(instruction.from[0]);
  set_lanes(warp.to(instruction.to[0]), lanes,
            [&](unsigned lane) { return in_register(F{}(static_cast<A>(a[lane]))); });
}

template <class F, class A, class B = A>
void binary(Warp& warp, const Instruction& instruction, LaneMask lanes) {
  const Warp::Values& a = warp.from(instruction.from[0]);
  const Warp::Values& b = warp.from(instruction.from[1]);
  set_lanes(warp.to(instruction.to[0]), lanes,
            [&](unsigned lane) { return in_register(F{}(static_cast<A>(a[lane]), static_cast<B>(b[lane]))); });
}

template <class F, class A, class B = A, class C = A>
void ternary(Warp& warp, const Instruction& instruction, LaneMask lanes) {
  const Warp::Values& a = warp.from(instruction.from[0]);
  const Warp::Values& b = warp.from(instruction.from[1]);
  const Warp::Values& c = warp.from(instruction.from[2]);
  set_lanes(warp.to(instruction.to[0]), lanes, [&](unsigned lane) {
    return in_register(F{}(static_cast<A>(a[lane]), static_cast<B>(b[lane]), static_cast<C>(c[lane])));
  });
}

template <class F, class A, class B, class C, class D>
void quaternary(Warp& warp, const Instruction& instruction, LaneMask lanes) {
  const Warp::Values& a = warp.from(instruction.from[0]);
  const Warp::Values& b = warp.from(instruction.from[1]);
  const Warp::Values& c = warp.from(instruction.from[2]);
  const Warp::Values& d = warp.from(instruction.from[3]);
  set_lanes(warp.to(instruction.to[0]), lanes, [&](unsigned lane) {
    return in_register(
        F{}(static_cast<A>(a[lane]), static_cast<B>(b[lane]), static_cast<C>(c[lane]), static_cast<D>(d[lane])));
  });
}

}  // namespace cuda_machine
