// Takes fields from payload: a line of input has the word of a kind and the payload in hex, a line of output the value
// in hex. tools/compare_fields compares these with the reference's.
#include <fmt/format.h>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "policy/fields/field_kind.h"

int main() {
  using namespace warpmeter;
  for (std::string line; std::getline(std::cin, line);) {
    std::string word, hex;
    std::istringstream(line) >> word >> hex;
    std::vector<std::uint8_t> head(hex.size() / 2);
    for (std::size_t i = 0; i < head.size(); ++i) {
      head[i] = static_cast<std::uint8_t>(std::stoul(hex.substr(2 * i, 2), nullptr, 16));
    }
    const auto kind = field_kind(word);
    std::string text;
    for (const char c : kind ? field_value(*kind, head) : "unknown kind") {
      text += fmt::format("{:02x}", static_cast<std::uint8_t>(c));
    }
    std::cout << text << '\n';
  }
}
