#include "support/json_text.h"

namespace warpmeter::test {

nlohmann::json parsed(const std::string& text) { return nlohmann::json::parse(text); }

}  // namespace warpmeter::test
