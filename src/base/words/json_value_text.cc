#include "base/words/json_value_text.h"

#include <nlohmann/json.hpp>

namespace warpmeter::inline base {

using Json = nlohmann::ordered_json;

std::string json_text(const Json& value, int indent, JsonLetters letters) {
  return value.dump(indent, ' ', letters == JsonLetters::ascii, Json::error_handler_t::replace);
}

Json json_of_text(std::string_view text) { return Json::parse(text); }

}  // namespace warpmeter::inline base
