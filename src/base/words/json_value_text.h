// JSON values as text, and back. The library is all headers: a source that reads or writes such text by itself takes
// two to four seconds longer to compile. So all of it is here.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace warpmeter::inline base {

enum class JsonLetters { any, ascii };  // ascii: all others as \uXXXX, for text that is put into a page

// On one line, or with so many spaces a level. What is no UTF-8 becomes U+FFFD.
std::string json_text(const nlohmann::ordered_json& value, int indent = -1, JsonLetters letters = JsonLetters::any);

// Throws nlohmann::json::exception where text is no JSON.
nlohmann::ordered_json json_of_text(std::string_view text);

}  // namespace warpmeter::inline base
