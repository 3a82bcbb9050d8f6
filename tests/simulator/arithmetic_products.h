// Sums and products of integers that wrap around, as in PTX.
#pragma once

#include <cstdint>

#include "simulator/arithmetic_table.h"

namespace cuda_machine {

// The integer of twice the width. Those of 128 bits are an extension of compilers.
template <class T>
struct Twice;
template <>
struct Twice<std::int16_t> {
  using Type = std::int32_t;
};
template <>
struct Twice<std::uint16_t> {
  using Type = std::uint32_t;
};
template <>
struct Twice<std::int32_t> {
  using Type = std::int64_t;
};
template <>
struct Twice<std::uint32_t> {
  using Type = std::uint64_t;
};
template <>
struct Twice<std::int64_t> {
  __extension__ using Type = __int128;
};
template <>
struct Twice<std::uint64_t> {
  __extension__ using Type = unsigned __int128;
};
template <class T>
using TwiceOf = typename Twice<T>::Type;

// Made without a sign: sums of signed integers that do not fit are undefined in C++.
template <class T>
T sum(T a, T b) {
  return static_cast<T>(in_register(a) + in_register(b));
}
template <class T>
T negative(T a) {
  return static_cast<T>(std::uint64_t{0} - in_register(a));
}
template <class T>
TwiceOf<T> wide_product(T a, T b) {
  return static_cast<TwiceOf<T>>(a) * static_cast<TwiceOf<T>>(b);
}
template <class T>
T low_product(T a, T b) {
  return static_cast<T>(in_register(a) * in_register(b));
}
template <class T>
T high_product(T a, T b) {
  return static_cast<T>(wide_product(a, b) >> (8 * sizeof(T)));
}

}  // namespace cuda_machine
