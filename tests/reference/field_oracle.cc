// One function a kind. Numbers whose bytes are not all there are made of those that are, which is what Python's slices
// give; a length that is not there at all ends the search.
#include "field_oracle.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace reference {
namespace {

using Head = std::span<const uint8_t>;
using Found = std::optional<std::string>;

std::string slice(Head bytes, size_t at, size_t count) {
  if (at >= bytes.size()) return {};
  const Head some = bytes.subspan(at, std::min(count, bytes.size() - at));
  return {some.begin(), some.end()};
}

size_t number(Head bytes, size_t at, size_t count) {
  size_t value = 0;
  for (const char c : slice(bytes, at, count)) value = value << 8 | static_cast<uint8_t>(c);
  return value;
}

// What the records of the handshake carry, up to the first record of another kind.
std::vector<uint8_t> handshake_of(Head head) {
  std::vector<uint8_t> body;
  for (size_t at = 0; at + 5 <= head.size() && head[at] == 22;) {
    const size_t size = number(head, at + 3, 2);
    const std::string content = slice(head, at + 5, size);
    body.insert(body.end(), content.begin(), content.end());
    at += 5 + size;
  }
  return body;
}

Found tls_sni(Head head) {
  const std::vector<uint8_t> body = handshake_of(head);
  if (body.size() < 42 || body[0] != 1) return {};
  size_t at = 39 + size_t{body[38]};  // behind the session id
  at += 2 + number(body, at, 2);      // and the cipher suites
  if (at >= body.size()) return {};
  at += 1 + size_t{body[at]};  // and the compression methods
  const size_t end = std::min(at + 2 + number(body, at, 2), body.size());
  for (at += 2; at + 4 <= end;) {
    const size_t size = number(body, at + 2, 2);
    if (number(body, at, 2) != 0) {
      at += 4 + size;
      continue;
    }
    const size_t length = number(body, at + 7, 2);
    const std::string name = slice(body, at + 9, length);
    return name.empty() || name.size() != length ? Found() : name;
  }
  return {};
}

std::string_view stripped(std::string_view text) {
  constexpr std::string_view spaces = " \t\n\r\v\f";
  const size_t first = text.find_first_not_of(spaces);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) + 1 - first);
}

Found http_host(Head head) {
  const std::string text(head.begin(), head.end());
  const size_t end = text.find("\r\n\r\n");
  std::string_view left = std::string_view(text).substr(0, end);
  bool is_first = true;
  while (true) {
    const size_t line_end = left.find("\r\n");
    if (line_end == left.npos && end == text.npos) return {};  // a line that may not be whole
    const std::string_view line = left.substr(0, line_end);
    const size_t colon = line.find(':');
    if (!is_first && colon != line.npos) {
      std::string name(stripped(line.substr(0, colon)));
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<uint8_t>(c)));
      const std::string_view value = stripped(line.substr(colon + 1));
      if (name == "host") return value.empty() ? Found() : std::string(value);
    }
    if (line_end == left.npos) return {};
    left.remove_prefix(line_end + 2);
    is_first = false;
  }
}

Found dns_name(Head head) {
  if (head.size() < 17 || number(head, 4, 2) == 0) return {};
  std::string name;
  size_t at = 12;
  for (; at < head.size() && head[at] != 0; at += 1 + size_t{head[at]}) {
    if (head[at] > 63 || at + 1 + head[at] > head.size()) return {};
    if (!name.empty()) name += '.';
    name += slice(head, at + 1, head[at]);
  }
  return at < head.size() && !name.empty() ? name : Found();
}

std::string shown(const std::string& value) {
  std::string text;
  for (const char c : value.substr(0, 255)) {
    char hex[5];
    std::snprintf(hex, sizeof hex, "\\x%02x", static_cast<uint8_t>(c));
    const bool plain = c > ' ' && c < '\x7f' && c != ',' && c != '"' && c != '\\';
    text += plain ? std::string(1, c) : hex;
  }
  return text;
}

}  // namespace

std::optional<std::string> field_of(const std::string& kind, std::span<const uint8_t> head) {
  Found found;
  if (kind == "tls.sni") found = tls_sni(head);
  else if (kind == "http.host") found = http_host(head);
  else if (kind == "dns.name") found = dns_name(head);
  else throw std::invalid_argument("no field " + kind);
  return found ? std::optional(shown(*found)) : std::nullopt;
}

}  // namespace reference
