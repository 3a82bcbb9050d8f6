// The sum of 16-bit words that the checksums of IPv4 and TCP are made of (RFC 1071), as a number of 16 bits: 0 of
// zeros alone, 0xffff of what holds its own right checksum. A sum of parts is that of the whole; the part behind an odd
// number of bytes is swapped.
//
// Words are added as they lie in memory, eight bytes at a time, and the bytes are put in order at the end: the sum of
// swapped words is the swapped sum. Sums that are only asked whether they are right need no order.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/byte_order.h"

namespace warpmeter::inline stream {

inline constexpr std::size_t kSumRow = 64, kWorthRows = 3 * kSumRow, kMostRows = 1024;

// Of so many rows of bytes, at most kMostRows, by vectors: what memory_sum() gives. REQUIRES: sums_rows().
std::uint64_t sum_of_rows(const std::uint8_t* bytes, std::size_t rows);

// Has this CPU vectors that are worth it?
inline bool sums_rows() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2");
#else
  return false;
#endif
}

// Of so many times four bytes, for headers.
template <std::size_t kWords>
std::uint64_t memory_sum(const std::uint8_t* bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < kWords; ++i) sum += load<std::uint32_t>(bytes + 4 * i);
  return sum;
}

// Words as they lie in memory, added up: to be folded. Far from what 64 bits hold.
inline std::uint64_t memory_sum(const std::uint8_t* bytes, std::size_t size) {
  using Wide = unsigned __int128;  // the upper half counts what overflows
  constexpr std::size_t kWord = sizeof(std::uint64_t), kPair = 2 * kWord;
  std::uint64_t sum = 0;
  if (size >= kWorthRows && size / kSumRow <= kMostRows && sums_rows()) {
    const std::size_t rows = size / kSumRow;
    sum = sum_of_rows(bytes, rows);
    bytes += rows * kSumRow;
    size -= rows * kSumRow;
  }
  Wide even = 0, odd = 0;  // neither waits for the other
  for (; size >= kPair; bytes += kPair, size -= kPair) {
    even += load<std::uint64_t>(bytes);
    odd += load<std::uint64_t>(bytes + kWord);
  }
  if (size & kWord) {
    even += load<std::uint64_t>(bytes);
    bytes += kWord;
  }
  const Wide words = even + odd;
  sum += (static_cast<std::uint64_t>(words) >> 32) + static_cast<std::uint32_t>(words) +
         static_cast<std::uint64_t>(words >> 64);
  if (size & 4) {
    sum += load<std::uint32_t>(bytes);
    bytes += 4;
  }
  if (size & 2) {
    sum += load<std::uint16_t>(bytes);
    bytes += 2;
  }
  return size & 1 ? sum + *bytes : sum;
}

// Of numbers that were added up: 16 bits, end around carry.
inline std::uint16_t fold_sum(std::uint64_t sum) {
  sum = (sum >> 32) + (sum & 0xffffffff);
  sum = (sum >> 16) + (sum & 0xffff);
  sum = (sum >> 16) + (sum & 0xffff);
  return static_cast<std::uint16_t>((sum >> 16) + (sum & 0xffff));
}

// Of numbers that were added up: are they of what holds its own right checksum? Folding keeps the rest of a division by
// 0xffff, and makes 0 of nothing but 0.
inline bool is_right_sum(std::uint64_t sum) { return sum != 0 && sum % 0xffff == 0; }

inline std::uint16_t internet_sum(const std::uint8_t* bytes, std::size_t size) {
  return byte_swap(fold_sum(memory_sum(bytes, size)));
}

// Of a part that begins behind so many bytes of the whole.
inline std::uint16_t sum_behind(std::size_t bytes_before, std::uint16_t sum) {
  return bytes_before % 2 ? byte_swap(sum) : sum;
}

}  // namespace warpmeter::inline stream
