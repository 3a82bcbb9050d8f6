// What each name of field.h means, in a line: for the manual and for what shells show beside a completed name.
#pragma once

#include <string_view>

namespace warpmeter::inline analysis {

// "" if there is no field of that name; also of kCommunityIdColumn, which no filter knows. The exact rules are in
// docs/definitions.md.
std::string_view meaning_of(std::string_view name);

}  // namespace warpmeter::inline analysis
