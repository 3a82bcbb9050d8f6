// What the name of a file tells by itself: its place among others, what it ends in, and whether it is there for a while
// only.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <compare>
#include <string_view>

namespace warpmeter::inline base {

// The order that people expect: numbers by their value, and the files of --rotate by their time. So
// flows.999999.csv comes before flows.1000000.csv, flows.20260131T120000Z.csv before
// flows.20260131T120000.500000000Z.csv and all files of a folder together. Total: only equal names are equal.
std::strong_ordering name_order(std::string_view a, std::string_view b);

// Whoever writes .JSON means .json.
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

// Hidden, or with the end that a temporary file's name usually has: who writes such a file renames it when it is
// complete. In a folder that grows, and in one of Flow Records, it is not read; a file that the user names is.
inline bool is_temporary_name(std::string_view name) {
  if (name.starts_with('.') || name.ends_with('~')) return true;
  for (const std::string_view end : {".part", ".partial", ".tmp", ".temp", ".swp", ".filepart", ".crdownload"}) {
    if (name.ends_with(end)) return true;
  }
  return false;
}

}  // namespace warpmeter::inline base
