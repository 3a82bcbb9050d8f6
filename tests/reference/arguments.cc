// Exact readings of numbers and times.
#include "arguments.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace reference {
namespace {

bool take_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

}  // namespace

void usage_error(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(2);
}

std::string Arguments::next() {
  if (done()) usage_error("a value is missing at the end of the command line");
  return values_[at_++];
}

uint64_t Arguments::next_number() {
  const std::string text = next();
  char* end = nullptr;
  const uint64_t value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || text[0] == '-' || *end != '\0') usage_error("not a number: " + text);
  return value;
}

int64_t Arguments::next_nanoseconds() {
  const std::string whole = next();
  std::string_view text = whole;
  int64_t unit = take_suffix(text, "ms") ? 1'000'000 : 1'000'000'000;
  take_suffix(text, "s");
  int64_t value = 0;
  bool digits = false, in_fraction = false;
  for (char c : text) {
    if (c == '.' && !in_fraction) {
      in_fraction = true;
      continue;
    }
    if (c < '0' || c > '9') usage_error("not a time: " + whole);
    digits = true;
    if (in_fraction) unit /= 10;
    value = in_fraction ? value + (c - '0') * unit : value * 10 + (c - '0') * unit;
  }
  if (!digits) usage_error("not a time: " + whole);
  return value;
}

}  // namespace reference
