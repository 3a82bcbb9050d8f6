// Command lines of examples, as narrow as a manual page of 80 columns shows them whole.
#pragma once

#include <string>
#include <string_view>

namespace warpmeter {

// What is longer gets its comment on a line before it, and is broken with backslashes between words. What is no command
// stays as it is.
std::string narrow_example(std::string_view lines);

}  // namespace warpmeter
