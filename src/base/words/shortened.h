// What users gave, in messages about it: of what is very long, the beginning and the end. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpmeter::inline base {

// Cut in the middle, between characters of UTF-8, if it has more than some 200 bytes.
inline std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 200, kFirst = 120, kLast = 70;
  if (text.size() <= kMost) return std::string(text);
  const auto inside = [text](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80; };
  std::size_t first = kFirst, last = text.size() - kLast;
  while (first > kFirst - 3 && inside(first)) --first;
  while (last < text.size() - kLast + 3 && inside(last)) ++last;
  return std::string(text.substr(0, first)) + " ... " + std::string(text.substr(last));
}

}  // namespace warpmeter::inline base
