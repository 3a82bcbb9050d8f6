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
#include <cstring>

#include "core/byte_order.h"

namespace warpmeter::inline stream {

// Words as they lie in memory, added up; the upper half counts what overflows.
using WideSum = unsigned __int128;

inline WideSum wide_sum(const std::uint8_t* bytes, std::size_t size) {
  constexpr std::size_t kWord = sizeof(std::uint64_t), kRow = 4 * kWord;
  WideSum even = 0, odd = 0;  // neither waits for the other
  for (; size >= kRow; bytes += kRow, size -= kRow) {
    even += load<std::uint64_t>(bytes);
    odd += load<std::uint64_t>(bytes + kWord);
    even += load<std::uint64_t>(bytes + 2 * kWord);
    odd += load<std::uint64_t>(bytes + 3 * kWord);
  }
  for (; size >= kWord; bytes += kWord, size -= kWord) even += load<std::uint64_t>(bytes);
  if (size > 0) {
    std::uint64_t last = 0;
    std::memcpy(&last, bytes, size);
    odd += last;
  }
  return even + odd;
}

// Of numbers that were added up: 16 bits, end around carry.
inline std::uint16_t fold_sum(std::uint64_t sum) {
  sum = (sum >> 32) + (sum & 0xffffffff);
  sum = (sum >> 16) + (sum & 0xffff);
  sum = (sum >> 16) + (sum & 0xffff);
  return static_cast<std::uint16_t>((sum >> 16) + (sum & 0xffff));
}

// As the words lie in memory.
inline std::uint16_t fold_sum(WideSum sum) {
  const auto low = static_cast<std::uint64_t>(sum), high = static_cast<std::uint64_t>(sum >> 64);
  return fold_sum((low >> 32) + (low & 0xffffffff) + high);
}

inline std::uint16_t internet_sum(const std::uint8_t* bytes, std::size_t size) {
  return byte_swap(fold_sum(wide_sum(bytes, size)));
}

// Of a part that begins behind so many bytes of the whole.
inline std::uint16_t sum_behind(std::size_t bytes_before, std::uint16_t sum) {
  return bytes_before % 2 ? byte_swap(sum) : sum;
}

}  // namespace warpmeter::inline stream
