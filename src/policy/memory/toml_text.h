// Text that the parser of TOML must not be given: what makes tables within tables without a bound, which it frees one
// within the other.
//
// Threads: any. Errors: PolicyError, with the line.
#pragma once

#include <string_view>

namespace warpmeter::inline policy {

// Refuses keys of many parts, a.a.a.
void check_toml_text(std::string_view text);

}  // namespace warpmeter::inline policy
