// setp, selp, and what instructions of type .pred do.
#include <array>
#include <functional>

#include "simulator/arithmetic_table.h"

namespace cuda_machine {

namespace {

// An array, not shifts: with it compilers make vector instructions of the loop below.
constexpr std::array<LaneMask, kLanes> lane_bits() {
  std::array<LaneMask, kLanes> bits{};
  for (unsigned lane = 0; lane < kLanes; ++lane) bits[lane] = LaneMask{1} << lane;
  return bits;
}
constexpr std::array<LaneMask, kLanes> kLaneBits = lane_bits();

// How a comparison and a predicate become one.
struct Alone {
  LaneMask operator()(LaneMask compared, LaneMask) const { return compared; }
};
using WithAnd = std::bit_and<LaneMask>;
using WithOr = std::bit_or<LaneMask>;
using WithXor = std::bit_xor<LaneMask>;

template <class Compare, class With, class T>
void compare(Warp& warp, const Instruction& instruction, LaneMask lanes) {
  const Warp::Values& a = warp.from(instruction.from[0]);
  const Warp::Values& b = warp.from(instruction.from[1]);
  LaneMask result = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    result |= Compare{}(static_cast<T>(a[lane]), static_cast<T>(b[lane])) ? kLaneBits[lane] : 0;
  });
  const LaneMask other = warp.predicate(instruction.predicate_from[0]);
  warp.set_predicate(instruction.predicate_to[0], With{}(result, other), lanes);
  warp.set_predicate(instruction.predicate_to[1], With{}(~result, other), lanes);
}

template <class T>
void select(Warp& warp, const Instruction& instruction, LaneMask lanes) {
  const Warp::Values& a = warp.from(instruction.from[0]);
  const Warp::Values& b = warp.from(instruction.from[1]);
  const LaneMask chooses_a = warp.predicate(instruction.predicate_from[0]);
  set_lanes(warp.to(instruction.to[0]), lanes, [&](unsigned lane) {
    return in_register(static_cast<T>(chooses_a & kLaneBits[lane] ? a[lane] : b[lane]));
  });
}

template <class F>
void combine(Warp& warp, const Instruction& instruction, LaneMask lanes) {
  const LaneMask a = warp.predicate(instruction.predicate_from[0]);
  const LaneMask b = warp.predicate(instruction.predicate_from[1]);
  warp.set_predicate(instruction.predicate_to[0], F{}(a, b), lanes);
}

struct First {
  LaneMask operator()(LaneMask a, LaneMask) const { return a; }
};
struct NotFirst {
  LaneMask operator()(LaneMask a, LaneMask) const { return ~a; }
};

template <class Compare, class T>
void add_comparison(ArithmeticTable& table, const std::string& name, const std::string& suffix) {
  table["setp." + name + suffix] = compare<Compare, Alone, T>;
  table["setp." + name + ".and" + suffix] = compare<Compare, WithAnd, T>;
  table["setp." + name + ".or" + suffix] = compare<Compare, WithOr, T>;
  table["setp." + name + ".xor" + suffix] = compare<Compare, WithXor, T>;
}

template <class T>
void add_equalities(ArithmeticTable& table, const std::string& suffix) {
  add_comparison<std::equal_to<T>, T>(table, "eq", suffix);
  add_comparison<std::not_equal_to<T>, T>(table, "ne", suffix);
}

template <class T>
void add_comparisons(ArithmeticTable& table) {
  const std::string suffix = integer_suffix<T>();
  add_equalities<T>(table, suffix);
  add_comparison<std::less<T>, T>(table, "lt", suffix);
  add_comparison<std::less_equal<T>, T>(table, "le", suffix);
  add_comparison<std::greater<T>, T>(table, "gt", suffix);
  add_comparison<std::greater_equal<T>, T>(table, "ge", suffix);
}

// Other words for the same, without a sign: lower, lower or same, higher, higher or same.
template <class T>
void add_unsigned_comparisons(ArithmeticTable& table) {
  const std::string suffix = integer_suffix<T>();
  add_comparison<std::less<T>, T>(table, "lo", suffix);
  add_comparison<std::less_equal<T>, T>(table, "ls", suffix);
  add_comparison<std::greater<T>, T>(table, "hi", suffix);
  add_comparison<std::greater_equal<T>, T>(table, "hs", suffix);
}

void add_predicate_logic(ArithmeticTable& table) {
  table["mov.pred"] = combine<First>;
  table["not.pred"] = combine<NotFirst>;
  table["and.pred"] = combine<std::bit_and<LaneMask>>;
  table["or.pred"] = combine<std::bit_or<LaneMask>>;
  table["xor.pred"] = combine<std::bit_xor<LaneMask>>;
}

}  // namespace

void add_predicates(ArithmeticTable& table) {
  for_types(Integers{}, [&](auto type) {
    using T = decltype(type);
    add_comparisons<T>(table);
    table["selp" + integer_suffix<T>()] = select<T>;
  });
  for_types(Bits{}, [&](auto type) {
    using T = decltype(type);
    add_equalities<T>(table, bits_suffix<T>());
    add_unsigned_comparisons<T>(table);
    table["selp" + bits_suffix<T>()] = select<T>;
  });
  add_predicate_logic(table);
}

}  // namespace cuda_machine
