// mov, cvt and activemask.
#include "simulator/arithmetic_table.h"

namespace cuda_machine {

namespace {

using Convertible = Types<std::uint8_t, std::int8_t, std::uint16_t, std::int16_t, std::uint32_t, std::int32_t,
                          std::uint64_t, std::int64_t>;

struct Same {
  template <class T>
  T operator()(T a) const {
    return a;
  }
};

std::uint64_t low_bytes(unsigned bytes) { return ~std::uint64_t{0} >> (64 - 8 * bytes); }

// A result narrower than its register fills that: with its sign if it has one.
template <class To, class From>
void convert(Warp& warp, const Instruction& instruction, LaneMask lanes) {
  const Warp::Values& a = warp.from(instruction.from[0]);
  const std::uint64_t mask = low_bytes(instruction.size);
  set_lanes(warp.to(instruction.to[0]), lanes, [&](unsigned lane) {
    return static_cast<std::uint64_t>(static_cast<To>(static_cast<From>(a[lane]))) & mask;
  });
}

void pack(Warp& warp, const Instruction& instruction, LaneMask lanes) {
  const std::uint64_t mask = low_bytes(instruction.size);
  Warp::Values whole;
  for_each_lane(lanes, [&](unsigned lane) { whole[lane] = 0; });
  for (unsigned i = 0; i < instruction.sources; ++i) {
    const Warp::Values& part = warp.from(instruction.from[i]);
    const unsigned shift = 8 * instruction.size * i;
    for_each_lane(lanes, [&](unsigned lane) { whole[lane] |= (part[lane] & mask) << shift; });
  }
  set_lanes(warp.to(instruction.to[0]), lanes, [&](unsigned lane) { return whole[lane]; });
}

void unpack(Warp& warp, const Instruction& instruction, LaneMask lanes) {
  const std::uint64_t mask = low_bytes(instruction.size);
  const Warp::Values whole = warp.from(instruction.from[0]);
  for (unsigned i = 0; i < instruction.destinations; ++i) {
    const unsigned shift = 8 * instruction.size * i;
    set_lanes(warp.to(instruction.to[i]), lanes, [&](unsigned lane) { return whole[lane] >> shift & mask; });
  }
}

void active_lanes(Warp& warp, const Instruction& instruction, LaneMask lanes) {
  set_lanes(warp.to(instruction.to[0]), lanes, [&](unsigned) { return std::uint64_t{lanes}; });
}

template <class To>
void add_conversions_to(ArithmeticTable& table) {
  for_types(Convertible{}, [&](auto type) {
    using From = decltype(type);
    table["cvt" + integer_suffix<To>() + integer_suffix<From>()] = convert<To, From>;
  });
}

}  // namespace

void add_moves(ArithmeticTable& table) {
  for_types(Integers{}, [&](auto type) {
    using T = decltype(type);
    table["mov" + integer_suffix<T>()] = unary<Same, T>;
  });
  for_types(Bits{}, [&](auto type) {
    using T = decltype(type);
    table["mov" + bits_suffix<T>()] = unary<Same, T>;
  });
  for_types(Convertible{}, [&](auto type) { add_conversions_to<decltype(type)>(table); });
  table["mov.pack"] = pack;
  table["mov.unpack"] = unpack;
  table["activemask.b32"] = active_lanes;
}

}  // namespace cuda_machine
