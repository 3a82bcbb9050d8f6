#include "base/files/file_name.h"

#include <algorithm>
#include <cstddef>

namespace warpmeter::inline base {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The digits that `text` has from `at` on, which moves behind them, without zeros before them.
std::string_view number_at(std::string_view text, std::size_t& at) {
  std::size_t from = at;
  while (at < text.size() && is_digit(text[at])) ++at;
  while (from < at && text[from] == '0') ++from;
  return text.substr(from, at - from);
}

// Where characters differ. Slashes first; behind a time a Z goes before the point of a fraction, which is later.
int weight(char c, bool behind_digit) {
  if (c == '/') return 0;
  if (c == 'Z' && behind_digit) return 2 * '.' - 1;
  return 2 * static_cast<unsigned char>(c);
}

}  // namespace

std::strong_ordering name_order(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  bool behind_digit = false;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view m = number_at(a, i), n = number_at(b, j);
      if (const auto order = m.size() <=> n.size(); order != 0) return order;
      if (const auto order = m <=> n; order != 0) return order;
      behind_digit = true;
      continue;
    }
    if (const auto order = weight(a[i], behind_digit) <=> weight(b[j], behind_digit); order != 0) return order;
    behind_digit = false;
    ++i;
    ++j;
  }
  if (const auto order = a.size() - i <=> b.size() - j; order != 0) return order;
  return a <=> b;  // 7 and 007
}

}  // namespace warpmeter::inline base
