// JSON that the program wrote, read. Compiled once (json_text.cc): the parser takes seconds.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace warpmeter::test {

nlohmann::json parsed(const std::string& text);

}  // namespace warpmeter::test
