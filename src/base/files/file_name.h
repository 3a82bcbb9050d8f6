// Names of files: the order of several, what one ends in, whether it is there for a while only, which of them
// --rotate has made of one, and one that a file gets later.
//
// Threads: any.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

// date=2026-01-31 and hour=12, in which --date-folders puts files: such folders belong to the folder that they lie in.
inline bool is_date_folder(std::string_view name) { return name.starts_with("date=") || name.starts_with("hour="); }

// The files that `extract --rotate` made of one output, found again by the name of that output. Of flows.csv:
// flows.000001.csv, flows.000002.csv, ... or flows.20260131T120000Z.csv, ..., in their order; of flows.csv.gz,
// flows.000001.csv.gz and so on. Empty if there are none, or if the folder cannot be read. Throws Error where there are
// both, which together are no set.
std::vector<std::string> rotated_set(const std::string& output);

// The largest number that a file of --rotate SIZE has; 0: there is none.
std::uint64_t last_rotated(const std::string& output);

// After a run that wrote the files 1 to `last` of --rotate SIZE: a line for users that those beyond, which an earlier
// run left, are still there. Empty if there are none.
std::string rotated_beyond(const std::string& output, std::uint64_t last);

// A file that is complete before it has its name: where it lies until then, and what it will be called:
// NAME.20260131T120000Z.csv; where that is taken, NAME.20260131T120000Z-2.csv, and so on.
struct LaterName {
  std::string hidden;          // beside its place
  std::string before, behind;  // the number
};

}  // namespace warpmeter::inline base
