#include "packet/nic/ring/interface_pattern.h"

#include <fnmatch.h>

#include <algorithm>

namespace warpmeter::inline packet {
namespace {

bool names(const std::string& word, const std::string& name) {
  return word == kAnyInterface || word == name || fnmatch(word.c_str(), name.c_str(), 0) == 0;
}

}  // namespace

bool InterfacePattern::matches(const std::string& name) const {
  return names(word, name) &&
         std::ranges::none_of(others, [&](const std::string& other) { return names(other, name); });
}

}  // namespace warpmeter::inline packet
