// Numbers as text. Most of a Flow Record's are a single digit.
#pragma once

#include <charconv>
#include <cstdint>

namespace warpmeter {

inline constexpr int kNumberText = 20;  // characters that any takes

inline char* write_number(char* to, std::int64_t value) {
  if (value >= 0 && value < 10) {
    *to = static_cast<char>('0' + value);
    return to + 1;
  }
  return std::to_chars(to, to + kNumberText, value).ptr;
}

}  // namespace warpmeter
