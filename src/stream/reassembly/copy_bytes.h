// memcpy() for what is mostly short: without a call up to 32 bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/byte_order.h"

namespace warpmeter::inline stream {

namespace copy_bytes_detail {

struct Sixteen {
  std::uint64_t a, b;
};

// `length` from the size of T to twice that.
template <class T>
void copy_ends(std::uint8_t* to, const std::uint8_t* from, std::size_t length) {
  const T begin = load<T>(from), end = load<T>(from + length - sizeof(T));
  std::memcpy(to, &begin, sizeof begin);
  std::memcpy(to + length - sizeof end, &end, sizeof end);
}

}  // namespace copy_bytes_detail

inline void copy_bytes(std::uint8_t* to, const std::uint8_t* from, std::size_t length) {
  using namespace copy_bytes_detail;
  if (length > 32) std::memcpy(to, from, length);
  else if (length >= 16) copy_ends<Sixteen>(to, from, length);
  else if (length >= 8) copy_ends<std::uint64_t>(to, from, length);
  else if (length >= 4) copy_ends<std::uint32_t>(to, from, length);
  else
    for (std::size_t i = 0; i < length; ++i) to[i] = from[i];
}

}  // namespace warpmeter::inline stream
