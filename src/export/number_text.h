// Numbers as text. Most of a Flow Record's are a single digit; the longest are times, of 19.
#pragma once

#include <charconv>
#include <cstdint>

namespace warpmeter {

inline constexpr int kNumberText = 20;  // characters that any takes

namespace number_text_detail {

inline char digit(std::uint32_t value) { return static_cast<char>('0' + value); }

// Exactly four digits, zeros in front.
inline void write_four(char* to, std::uint32_t value) {
  const std::uint32_t high = value / 100, low = value % 100;
  to[0] = digit(high / 10);
  to[1] = digit(high % 10);
  to[2] = digit(low / 10);
  to[3] = digit(low % 10);
}

// Exactly nine. No division waits for more than two others.
inline char* write_nine(char* to, std::uint32_t value) {
  const std::uint32_t high = value / 10'000;
  to[0] = digit(high / 10'000);
  write_four(to + 1, high % 10'000);
  write_four(to + 5, value % 10'000);
  return to + 9;
}

}  // namespace number_text_detail

inline char* write_number(char* to, std::int64_t value) {
  constexpr std::int64_t kNineDigits = 1'000'000'000;
  if (value >= 0 && value < 10) {
    *to = number_text_detail::digit(static_cast<std::uint32_t>(value));
    return to + 1;
  }
  if (value < kNineDigits) return std::to_chars(to, to + kNumberText, value).ptr;
  to = write_number(to, value / kNineDigits);
  return number_text_detail::write_nine(to, static_cast<std::uint32_t>(value % kNineDigits));
}

}  // namespace warpmeter
