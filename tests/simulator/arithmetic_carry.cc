// Sums that hand on a carry: add.cc, addc, sub.cc, subc, mad.cc, madc.
#include "simulator/arithmetic_products.h"
#include "simulator/arithmetic_table.h"

namespace cuda_machine {

namespace {

struct Carried {
  std::uint64_t value = 0;
  bool carry = false;
};

template <class T>
Carried sum_with_carry(T a, T b, bool carry) {
  using Unsigned = std::make_unsigned_t<T>;
  const auto once = static_cast<Unsigned>(sum(a, b));
  const auto twice = static_cast<Unsigned>(once + (carry ? 1 : 0));
  return {twice, once < static_cast<Unsigned>(a) || twice < once};
}

// Each of three operands, of which sums leave out the third, and the carry that comes in.
struct Add {
  template <class T>
  Carried operator()(T a, T b, T, bool carry) const {
    return sum_with_carry(a, b, carry);
  }
};
// The carry is a borrow.
struct Subtract {
  template <class T>
  Carried operator()(T a, T b, T, bool borrow) const {
    using Unsigned = std::make_unsigned_t<T>;
    const auto difference = static_cast<Unsigned>(sum(a, negative(b)));
    return {static_cast<Unsigned>(difference - (borrow ? 1 : 0)),
            static_cast<Unsigned>(a) < static_cast<Unsigned>(b) || (borrow && difference == 0)};
  }
};
struct MultiplyLowAdd {
  template <class T>
  Carried operator()(T a, T b, T c, bool carry) const {
    return sum_with_carry(low_product(a, b), c, carry);
  }
};
struct MultiplyHighAdd {
  template <class T>
  Carried operator()(T a, T b, T c, bool carry) const {
    return sum_with_carry(high_product(a, b), c, carry);
  }
};

template <class F, class T, bool kReads, bool kSets>
void chained(Warp& warp, const Instruction& instruction, LaneMask lanes) {
  const Warp::Values& a = warp.from(instruction.from[0]);
  const Warp::Values& b = warp.from(instruction.from[1]);
  const Warp::Values& c = warp.from(instruction.from[2]);
  Warp::Values& to = warp.to(instruction.to[0]);
  const LaneMask carry_in = kReads ? warp.carry() : 0;
  LaneMask carry_out = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    const Carried result = F{}(static_cast<T>(a[lane]), static_cast<T>(b[lane]), static_cast<T>(c[lane]),
                               (carry_in & lane_bit(lane)) != 0);
    to[lane] = result.value;
    carry_out |= LaneMask{result.carry} << lane;
  });
  if (kSets) warp.set_carry(carry_out, lanes);
}

// First: "add", "mad.lo"; following: "addc", "madc.lo".
template <class F, class T>
void add_chain(ArithmeticTable& table, const std::string& first, const std::string& following) {
  const std::string suffix = integer_suffix<T>();
  table[first + ".cc" + suffix] = chained<F, T, false, true>;
  table[following + suffix] = chained<F, T, true, false>;
  table[following + ".cc" + suffix] = chained<F, T, true, true>;
}

}  // namespace

void add_carry_chains(ArithmeticTable& table) {
  for_types(LongIntegers{}, [&](auto type) {
    using T = decltype(type);
    add_chain<Add, T>(table, "add", "addc");
    add_chain<Subtract, T>(table, "sub", "subc");
    add_chain<MultiplyLowAdd, T>(table, "mad.lo", "madc.lo");
    add_chain<MultiplyHighAdd, T>(table, "mad.hi", "madc.hi");
  });
}

}  // namespace cuda_machine
