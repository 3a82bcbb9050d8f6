// Loads from unaligned bytes. "be" is network byte order.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace warpmeter {

template <class T>
inline T load(const std::uint8_t* p) {
  T value;
  std::memcpy(&value, p, sizeof value);
  return value;
}

inline std::uint16_t byte_swap(std::uint16_t v) { return __builtin_bswap16(v); }
inline std::uint32_t byte_swap(std::uint32_t v) { return __builtin_bswap32(v); }
inline std::uint64_t byte_swap(std::uint64_t v) { return __builtin_bswap64(v); }

static_assert(std::endian::native == std::endian::little, "warpmeter runs on little-endian machines");

inline std::uint16_t load_be16(const std::uint8_t* p) { return byte_swap(load<std::uint16_t>(p)); }
inline std::uint32_t load_be32(const std::uint8_t* p) { return byte_swap(load<std::uint32_t>(p)); }

}  // namespace warpmeter
