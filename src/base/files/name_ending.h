// Endings of the names of outputs: whoever writes .JSON means .json.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <string_view>

namespace warpmeter::inline base {

inline char lower_case(char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// `ending` in small letters.
inline bool has_ending(std::string_view name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  const std::string_view end = name.substr(name.size() - ending.size());
  return std::ranges::equal(end, ending, {}, lower_case);
}

// What looks like a file's: a dot behind something, and one to seven letters or digits; else "".
inline std::string_view ending_of(std::string_view name) {
  constexpr std::size_t kLongest = 7;
  const std::string_view base = name.substr(name.rfind('/') + 1);  // npos + 1 is 0
  const std::size_t dot = base.rfind('.');
  if (dot == std::string_view::npos || base.find_first_not_of('.') >= dot) return "";
  const std::string_view letters = base.substr(dot + 1);
  const bool plain = std::ranges::all_of(
      letters, [](char c) { return ('a' <= lower_case(c) && lower_case(c) <= 'z') || ('0' <= c && c <= '9'); });
  return plain && !letters.empty() && letters.size() <= kLongest ? base.substr(dot) : "";
}

}  // namespace warpmeter::inline base
