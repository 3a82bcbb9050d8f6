// Instructions on bits: logic, shifts, counts, fields, bytes.
#include <algorithm>
#include <bit>

#include "simulator/arithmetic_table.h"

namespace cuda_machine {

namespace {

template <class T>
inline constexpr std::uint32_t kWidth = 8 * sizeof(T);

struct And {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a & b);
  }
};
struct Or {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a | b);
  }
};
struct Xor {
  template <class T>
  T operator()(T a, T b) const {
    return static_cast<T>(a ^ b);
  }
};
struct Not {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>(~a);
  }
};

// Shifts by the width and more move all bits out.
struct ShiftLeft {
  template <class T>
  T operator()(T a, std::uint32_t by) const {
    return by < kWidth<T> ? static_cast<T>(std::uint64_t{a} << (by % kWidth<T>)) : T{0};
  }
};
struct ShiftRight {
  template <class T>
  T operator()(T a, std::uint32_t by) const {
    const T filling = a < 0 ? static_cast<T>(-1) : T{0};
    return by < kWidth<T> ? static_cast<T>(a >> (by % kWidth<T>)) : filling;
  }
};

// shf: 32 bits out of the 64 of high and low.
struct FunnelLeft {
  std::uint32_t operator()(std::uint32_t low, std::uint32_t high, std::uint32_t by) const {
    return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) << by >> 32);
  }
};
struct FunnelRight {
  std::uint32_t operator()(std::uint32_t low, std::uint32_t high, std::uint32_t by) const {
    return static_cast<std::uint32_t>((std::uint64_t{high} << 32 | low) >> by);
  }
};
template <class Funnel>
struct Wrapped {
  std::uint32_t operator()(std::uint32_t low, std::uint32_t high, std::uint32_t by) const {
    return Funnel{}(low, high, by % 32);
  }
};
template <class Funnel>
struct Clamped {
  std::uint32_t operator()(std::uint32_t low, std::uint32_t high, std::uint32_t by) const {
    return Funnel{}(low, high, std::min(by, 32u));
  }
};

struct CountOnes {
  template <class T>
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::popcount(a));
  }
};
struct CountLeadingZeros {
  template <class T>
  std::uint32_t operator()(T a) const {
    return static_cast<std::uint32_t>(std::countl_zero(a));
  }
};
struct Reverse {
  template <class T>
  T operator()(T a) const {
    a = swap_neighbours(a, 1, static_cast<T>(0x5555'5555'5555'5555u));
    a = swap_neighbours(a, 2, static_cast<T>(0x3333'3333'3333'3333u));
    a = swap_neighbours(a, 4, static_cast<T>(0x0f0f'0f0f'0f0f'0f0fu));
    a = swap_neighbours(a, 8, static_cast<T>(0x00ff'00ff'00ff'00ffu));
    a = swap_neighbours(a, 16, static_cast<T>(0x0000'ffff'0000'ffffu));
    return std::rotl(a, static_cast<int>(kWidth<T>) / 2 * (kWidth<T> == 64));
  }

 private:
  template <class T>
  static T swap_neighbours(T a, int by, T lower) {
    return static_cast<T>((a & lower) << by | (a >> by & lower));
  }
};

// bfind: the highest bit that is not a copy of the sign; all ones if there is none.
constexpr std::uint32_t kNoBit = ~std::uint32_t{0};

template <class T>
std::uint32_t leading_copies_of_sign(T a) {
  const auto bits = static_cast<std::make_unsigned_t<T>>(a < 0 ? ~a : a);
  return static_cast<std::uint32_t>(std::countl_zero(bits));
}
struct FindBit {
  template <class T>
  std::uint32_t operator()(T a) const {
    const std::uint32_t leading = leading_copies_of_sign(a);
    return leading == kWidth<T> ? kNoBit : kWidth<T> - 1 - leading;
  }
};
struct FindShift {
  template <class T>
  std::uint32_t operator()(T a) const {
    const std::uint32_t leading = leading_copies_of_sign(a);
    return leading == kWidth<T> ? kNoBit : leading;
  }
};

// The lowest `bits` bits set.
template <class T>
T low_bits(std::uint32_t bits) {
  return bits < kWidth<T> ? static_cast<T>((T{1} << bits) - 1) : static_cast<T>(~T{0});
}

// Of positions and lengths of fields only the lowest byte counts.
struct ExtractField {
  template <class T>
  T operator()(T a, std::uint32_t position, std::uint32_t length) const {
    using Unsigned = std::make_unsigned_t<T>;
    position &= 0xff;
    length &= 0xff;
    const auto field =
        static_cast<Unsigned>(ShiftRight{}(static_cast<Unsigned>(a), position) & low_bits<Unsigned>(length));
    const bool is_negative = std::is_signed_v<T> && length > 0 && sign_of_field(a, position, length);
    return static_cast<T>(is_negative ? field | ~low_bits<Unsigned>(bits_taken<T>(position, length)) : field);
  }

 private:
  // The field's highest bit; that of the whole where the field reaches beyond it.
  template <class T>
  static bool sign_of_field(T a, std::uint32_t position, std::uint32_t length) {
    return (a >> std::min(position + length - 1, kWidth<T> - 1) & 1) != 0;
  }
  // How many of its bits lie in the whole.
  template <class T>
  static std::uint32_t bits_taken(std::uint32_t position, std::uint32_t length) {
    return position < kWidth<T> ? std::min(length, kWidth<T> - position) : 0;
  }
};
struct InsertField {
  template <class T>
  T operator()(T field, T whole, std::uint32_t position, std::uint32_t length) const {
    const T mask = ShiftLeft{}(low_bits<T>(length & 0xff), position & 0xff);
    return static_cast<T>((whole & ~mask) | (ShiftLeft{}(field, position & 0xff) & mask));
  }
};

// bmsk: `length` bits set, from `position` up.
struct ClampedMask {
  std::uint32_t operator()(std::uint32_t position, std::uint32_t length) const {
    return ShiftLeft{}(low_bits<std::uint32_t>(length), position);
  }
};
struct WrappedMask {
  std::uint32_t operator()(std::uint32_t position, std::uint32_t length) const {
    return ClampedMask{}(position % 32, length % 32);
  }
};

// lop3: bit k of the table is the result where the bits of a, b and c make the number k.
struct AnyLogic {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t table) const {
    std::uint32_t result = 0;
    for (unsigned k = 0; k < 8; ++k) {
      const std::uint32_t chosen = std::uint32_t{0} - (table >> k & 1);
      result |= chosen & (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
    }
    return result;
  }
};

// prmt: each byte of the result is one of the eight of b and a. The modes say which, from the selector.
struct AnyBytes {
  static unsigned source(unsigned byte, std::uint32_t selector) { return selector >> (4 * byte) & 7; }
  static bool only_sign(unsigned byte, std::uint32_t selector) { return (selector >> (4 * byte) & 8) != 0; }
};
template <unsigned (*kSource)(unsigned byte, unsigned selector)>
struct BytesOfMode {
  static unsigned source(unsigned byte, std::uint32_t selector) { return kSource(byte, selector & 3); }
  static bool only_sign(unsigned, std::uint32_t) { return false; }
};
unsigned forward4(unsigned byte, unsigned selector) { return selector + byte; }
unsigned backward4(unsigned byte, unsigned selector) { return (selector + 8 - byte) % 8; }
unsigned replicate8(unsigned, unsigned selector) { return selector; }
unsigned clamp_left(unsigned byte, unsigned selector) { return std::max(byte, selector); }
unsigned clamp_right(unsigned byte, unsigned selector) { return std::min(byte, selector); }
unsigned replicate16(unsigned byte, unsigned selector) { return 2 * (selector & 1) + (byte & 1); }

template <class Mode>
struct Permute {
  std::uint32_t operator()(std::uint32_t a, std::uint32_t b, std::uint32_t selector) const {
    const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
    std::uint32_t result = 0;
    for (unsigned byte = 0; byte < 4; ++byte) {
      const auto chosen = static_cast<std::uint8_t>(bytes >> (8 * Mode::source(byte, selector)));
      const std::uint32_t sign = chosen & 0x80 ? 0xff : 0;
      result |= (Mode::only_sign(byte, selector) ? sign : chosen) << (8 * byte);
    }
    return result;
  }
};

template <class T>
void add_logic(ArithmeticTable& table) {
  const std::string suffix = bits_suffix<T>();
  table["and" + suffix] = binary<And, T>;
  table["or" + suffix] = binary<Or, T>;
  table["xor" + suffix] = binary<Xor, T>;
  table["not" + suffix] = unary<Not, T>;
  table["shl" + suffix] = binary<ShiftLeft, T, std::uint32_t>;
  table["shr" + suffix] = binary<ShiftRight, T, std::uint32_t>;
}

template <class T>
void add_counts(ArithmeticTable& table) {
  const std::string suffix = bits_suffix<T>();
  table["popc" + suffix] = unary<CountOnes, T>;
  table["clz" + suffix] = unary<CountLeadingZeros, T>;
  table["brev" + suffix] = unary<Reverse, T>;
  table["bfi" + suffix] = quaternary<InsertField, T, T, std::uint32_t, std::uint32_t>;
}

template <class T>
void add_searches(ArithmeticTable& table) {
  const std::string suffix = integer_suffix<T>();
  table["bfind" + suffix] = unary<FindBit, T>;
  table["bfind.shiftamt" + suffix] = unary<FindShift, T>;
  table["bfe" + suffix] = ternary<ExtractField, T, std::uint32_t, std::uint32_t>;
}

void add_permutations(ArithmeticTable& table) {
  table["prmt.b32"] = ternary<Permute<AnyBytes>, std::uint32_t>;
  table["prmt.b32.f4e"] = ternary<Permute<BytesOfMode<forward4>>, std::uint32_t>;
  table["prmt.b32.b4e"] = ternary<Permute<BytesOfMode<backward4>>, std::uint32_t>;
  table["prmt.b32.rc8"] = ternary<Permute<BytesOfMode<replicate8>>, std::uint32_t>;
  table["prmt.b32.ecl"] = ternary<Permute<BytesOfMode<clamp_left>>, std::uint32_t>;
  table["prmt.b32.ecr"] = ternary<Permute<BytesOfMode<clamp_right>>, std::uint32_t>;
  table["prmt.b32.rc16"] = ternary<Permute<BytesOfMode<replicate16>>, std::uint32_t>;
}

}  // namespace

void add_bit_operations(ArithmeticTable& table) {
  for_types(Bits{}, [&](auto type) { add_logic<decltype(type)>(table); });
  for_types(LongBits{}, [&](auto type) { add_counts<decltype(type)>(table); });
  for_types(LongIntegers{}, [&](auto type) { add_searches<decltype(type)>(table); });
  for_types(Integers{}, [&](auto type) {
    using T = decltype(type);
    table["shr" + integer_suffix<T>()] = binary<ShiftRight, T, std::uint32_t>;
  });
  add_permutations(table);
  table["shf.l.wrap.b32"] = ternary<Wrapped<FunnelLeft>, std::uint32_t>;
  table["shf.r.wrap.b32"] = ternary<Wrapped<FunnelRight>, std::uint32_t>;
  table["shf.l.clamp.b32"] = ternary<Clamped<FunnelLeft>, std::uint32_t>;
  table["shf.r.clamp.b32"] = ternary<Clamped<FunnelRight>, std::uint32_t>;
  table["bmsk.clamp.b32"] = binary<ClampedMask, std::uint32_t>;
  table["bmsk.wrap.b32"] = binary<WrappedMask, std::uint32_t>;
  table["lop3.b32"] = quaternary<AnyLogic, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>;
}

}  // namespace cuda_machine
