// Text of others in messages. Names of files, and text out of captures, may hold what a terminal takes for commands, or
// a line break that makes two lines of one in a log; what users gave may be very long. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warpmeter::inline base {

namespace printable_detail {

// Bytes of the UTF-8 sequence that `text` begins with; 0 if it is none.
inline std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first < 0xe0 ? 2 : first >= 0xe0 && first < 0xf0 ? 3 : 4;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool no_character = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return overlong || no_character ? 0 : length;
}

// Control characters (of ASCII, and U+0080 to U+009F), line and paragraph separators, and marks that turn the direction
// of writing, so that a name shows as another.
inline bool is_harmful(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
  if (character.size() == 2) return (byte(0) == 0xc2 && byte(1) < 0xa0) || character == "\u061c";
  if (character.size() != 3 || byte(0) != 0xe2) return false;
  if (byte(1) == 0x80) return byte(2) == 0x8e || byte(2) == 0x8f || (byte(2) >= 0xa8 && byte(2) <= 0xae);
  return byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9;
}

inline void append_escaped(std::string& to, char c) {
  constexpr std::string_view kHex = "0123456789abcdef";
  if (c == '\n') to += "\\n";
  else if (c == '\r') to += "\\r";
  else if (c == '\t') to += "\\t";
  else {
    const auto byte = static_cast<unsigned char>(c);
    (to += "\\x") += kHex[byte >> 4];
    to += kHex[byte & 15];
  }
}

}  // namespace printable_detail

// One line that can be shown: \n, \r, \t and \xNN for each byte of what is harmful or no UTF-8, as $'...' of a shell
// reads them. What was made printable stays as it is.
inline std::string printable(std::string_view text) {
  using namespace printable_detail;
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const std::string_view character = text.substr(0, length ? length : 1);
    if (length && !is_harmful(character)) safe += character;
    else
      for (const char c : character) append_escaped(safe, c);
    text.remove_prefix(character.size());
  }
  return safe;
}

// What users gave, in messages about it: cut in the middle, between characters of UTF-8, if it has more than some 200
// bytes.
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
