// add, sub, mul, mad, div, rem, min, max, neg, abs.
#include <limits>

#include "simulator/arithmetic_products.h"
#include "simulator/arithmetic_table.h"

namespace cuda_machine {

namespace {

// The one quotient of signed numbers that does not fit.
template <class T>
bool overflows(T a, T b) {
  return std::is_signed_v<T> && a == std::numeric_limits<T>::min() && b == static_cast<T>(-1);
}

struct Add {
  template <class T>
  T operator()(T a, T b) const {
    return sum(a, b);
  }
};
struct Subtract {
  template <class T>
  T operator()(T a, T b) const {
    return sum(a, negative(b));
  }
};
struct Negate {
  template <class T>
  T operator()(T a) const {
    return negative(a);
  }
};
struct Absolute {
  template <class T>
  T operator()(T a) const {
    return a < 0 ? negative(a) : a;
  }
};
struct Minimum {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Maximum {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
// By 0: PTX leaves it open; GPUs give all ones, and the dividend as remainder.
struct Divide {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return static_cast<T>(-1);
    return overflows(a, b) ? a : static_cast<T>(a / b);
  }
};
struct Remainder {
  template <class T>
  T operator()(T a, T b) const {
    if (b == 0) return a;
    return overflows(a, b) ? T{0} : static_cast<T>(a % b);
  }
};
struct MultiplyLow {
  template <class T>
  T operator()(T a, T b) const {
    return low_product(a, b);
  }
};
struct MultiplyHigh {
  template <class T>
  T operator()(T a, T b) const {
    return high_product(a, b);
  }
};
struct MultiplyWide {
  template <class T>
  TwiceOf<T> operator()(T a, T b) const {
    return wide_product(a, b);
  }
};
struct MultiplyLowAdd {
  template <class T>
  T operator()(T a, T b, T c) const {
    return sum(low_product(a, b), c);
  }
};
struct MultiplyHighAdd {
  template <class T>
  T operator()(T a, T b, T c) const {
    return sum(high_product(a, b), c);
  }
};
struct MultiplyWideAdd {
  template <class T>
  TwiceOf<T> operator()(T a, T b, TwiceOf<T> c) const {
    return sum(wide_product(a, b), c);
  }
};

template <class T>
void add_sums(ArithmeticTable& table) {
  const std::string suffix = integer_suffix<T>();
  table["add" + suffix] = binary<Add, T>;
  table["sub" + suffix] = binary<Subtract, T>;
  table["min" + suffix] = binary<Minimum, T>;
  table["max" + suffix] = binary<Maximum, T>;
}

template <class T>
void add_products(ArithmeticTable& table) {
  const std::string suffix = integer_suffix<T>();
  table["mul.lo" + suffix] = binary<MultiplyLow, T>;
  table["mul.hi" + suffix] = binary<MultiplyHigh, T>;
  table["mad.lo" + suffix] = ternary<MultiplyLowAdd, T>;
  table["mad.hi" + suffix] = ternary<MultiplyHighAdd, T>;
  table["div" + suffix] = binary<Divide, T>;
  table["rem" + suffix] = binary<Remainder, T>;
}

template <class T>
void add_wide_products(ArithmeticTable& table) {
  const std::string suffix = integer_suffix<T>();
  table["mul.wide" + suffix] = binary<MultiplyWide, T>;
  table["mad.wide" + suffix] = ternary<MultiplyWideAdd, T, T, TwiceOf<T>>;
}

}  // namespace

void add_sums_and_products(ArithmeticTable& table) {
  for_types(Integers{}, [&](auto type) { add_sums<decltype(type)>(table); });
  for_types(Integers{}, [&](auto type) { add_products<decltype(type)>(table); });
  for_types(Types<std::uint16_t, std::int16_t, std::uint32_t, std::int32_t>{},
            [&](auto type) { add_wide_products<decltype(type)>(table); });
  for_types(SignedIntegers{}, [&](auto type) {
    using T = decltype(type);
    table["neg" + integer_suffix<T>()] = unary<Negate, T>;
    table["abs" + integer_suffix<T>()] = unary<Absolute, T>;
  });
}

}  // namespace cuda_machine
