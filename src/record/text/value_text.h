// Values of Flow Records as text: numbers, moments and addresses. What these write has no terminating zero; they return
// its end.
#pragma once

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "warpmeter/time_form.h"

namespace warpmeter::inline record {

// Numbers: most of a Flow Record's are a single digit; the longest are times, of 19.
inline constexpr int kNumberText = 24;  // characters that writing one may touch

namespace number_text_detail {

// The eight digits of a number below 10^8, zeros in front, a byte each, the first in the lowest: halves, quarters and
// eighths are divided side by side in one word.
inline std::uint64_t eight_digits(std::uint32_t value) {
  const std::uint64_t halves = value / 10'000 | std::uint64_t{value % 10'000} << 32;
  const std::uint64_t hundreds = (halves * 10'486 >> 20) & 0x7f'0000'007f;  // exact below 10^4
  const std::uint64_t quarters = hundreds | (halves - hundreds * 100) << 16;
  const std::uint64_t tens = (quarters * 103 >> 10) & 0xf'000f'000f'000f;  // exact below 100
  return tens | (quarters - tens * 10) << 8;
}

constexpr std::uint64_t kZeros = 0x3030303030303030;

// Stores eight characters, of which the first are the number.
inline char* write_below_1e8(char* to, std::uint32_t value) {
  const std::uint64_t digits = eight_digits(value);
  const int zeros = std::countr_zero(digits | std::uint64_t{1} << 56) / 8;  // a 0 is one digit
  const std::uint64_t text = (digits | kZeros) >> 8 * zeros;
  std::memcpy(to, &text, sizeof text);
  return to + (8 - zeros);
}

// Exactly eight digits.
inline char* write_eight(char* to, std::uint32_t value) {
  const std::uint64_t text = eight_digits(value) | kZeros;
  std::memcpy(to, &text, sizeof text);
  return to + sizeof text;
}

// From 10^8 on, or negative: few numbers are, and with this inlined a Flow Record as CSV takes 1.3 % more instructions.
[[gnu::noinline]] inline char* write_any(char* to, std::int64_t value) {
  constexpr std::uint64_t k1e8 = 100'000'000;
  if (value < 0) return std::to_chars(to, to + kNumberText, value).ptr;
  const auto number = static_cast<std::uint64_t>(value);
  const std::uint64_t high = number / k1e8;
  if (high < k1e8) {
    to = write_below_1e8(to, static_cast<std::uint32_t>(high));
  } else {
    to = write_below_1e8(to, static_cast<std::uint32_t>(high / k1e8));
    to = write_eight(to, static_cast<std::uint32_t>(high % k1e8));
  }
  return write_eight(to, static_cast<std::uint32_t>(number % k1e8));
}

}  // namespace number_text_detail

// May store up to kNumberText characters, and gives the end of those that are the number.
inline char* write_number(char* to, std::int64_t value) {
  using namespace number_text_detail;
  const auto number = static_cast<std::uint64_t>(value);
  if (number < 10) {
    *to = static_cast<char>('0' + number);
    return to + 1;
  }
  if (number < 100) {
    const std::uint64_t tens = number * 103 >> 10;  // exact below 100
    to[0] = static_cast<char>('0' + tens);
    to[1] = static_cast<char>('0' + (number - 10 * tens));
    return to + 2;
  }
  if (number < 100'000'000) return write_below_1e8(to, static_cast<std::uint32_t>(number));
  return write_any(to, value);
}

// Moments, in the form that the user chose.
inline constexpr int kUtcText = 30;  // characters of "2026-01-31T12:00:00.123456789Z", always

// Of ns since 1970.
char* write_utc(char* to, std::int64_t ns);

template <TimeForm kForm>
char* write_moment(char* to, std::int64_t ns) {
  if constexpr (kForm == TimeForm::iso) return write_utc(to, ns);
  return write_number(to, in_unit_of(kForm, ns));
}

// Addresses, as inet_ntop prints them.
inline constexpr int kAddressText = 46;  // bytes that the longest takes

char* write_address(char* to, const std::uint8_t (&address)[16], std::uint8_t version);

}  // namespace warpmeter::inline record
