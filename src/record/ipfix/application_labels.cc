#include "record/ipfix/application_labels.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <unordered_map>

namespace warpmeter {
extern const std::string_view kApplicationLabels;
}

namespace warpmeter::inline record {
namespace {

using Table = std::unordered_map<std::string_view, std::uint16_t>;

// Lines "LABEL,NUMBER"; the heading has no number.
Table table_of(std::string_view text) {
  Table table;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) continue;
    std::uint16_t number = 0;
    const char* const last = line.data() + line.size();
    if (std::from_chars(line.data() + comma + 1, last, number).ptr == last)
      table.emplace(line.substr(0, comma), number);
  }
  return table;
}

}  // namespace

std::uint16_t application_label(const std::vector<std::string_view>& labels) {
  static const Table table = table_of(kApplicationLabels);
  for (const std::string_view label : labels) {
    if (const auto found = table.find(label); found != table.end()) return found->second;
  }
  return 0;
}

}  // namespace warpmeter::inline record
