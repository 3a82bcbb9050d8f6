// A word after -i that names network interfaces by what their names are like: "any", "veth*".
//
// Threads: any.
#pragma once

#include <fnmatch.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace warpmeter::inline packet {

inline constexpr std::string_view kAnyInterface = "any";

// "any", or a pattern as shells have them for files (glob(7)): no interface has such a name.
inline bool is_interface_pattern(std::string_view word) {
  return word == kAnyInterface || word.find_first_of("*?[") != std::string_view::npos;
}

struct InterfacePattern {
  std::string word;
  std::vector<std::string> others = {};  // names and patterns; an interface that one of these names is not this one's

  bool matches(const std::string& name) const {
    const auto is_named_by = [&name](const std::string& by) {
      return by == kAnyInterface || by == name || fnmatch(by.c_str(), name.c_str(), 0) == 0;
    };
    return is_named_by(word) && std::ranges::none_of(others, is_named_by);
  }
};

}  // namespace warpmeter::inline packet
