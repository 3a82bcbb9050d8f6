// Loads from and stores to unaligned bytes. "be" is network byte order.
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

template <class T>
inline void store_be(std::uint8_t* p, T value) {
  value = byte_swap(value);
  std::memcpy(p, &value, sizeof value);
}

inline void store_be16(std::uint8_t* p, std::uint16_t value) { store_be(p, value); }
inline void store_be32(std::uint8_t* p, std::uint32_t value) { store_be(p, value); }
inline void store_be64(std::uint8_t* p, std::uint64_t value) { store_be(p, value); }

}  // namespace warpmeter
