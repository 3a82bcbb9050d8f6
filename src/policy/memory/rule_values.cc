#include "policy/memory/rule_values.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/words/printable.h"
#include "core/noted_columns.h"

namespace warpmeter::inline policy {
namespace {

template <class Number>
Number whole_number(std::string_view digits, std::string_view of) {
  Number number = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, failed] = std::from_chars(digits.data(), last, number);
  if (digits.empty() || end != last || failed != std::errc()) {
    throw PolicyError(in_quotes(of) + " is no number and no range such as 80-90 or 1000-");
  }
  return number;
}

bool is_word_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

// Of the bits from `length` on.
bool has_bits_behind(const AddressPrefix& prefix) {
  const std::size_t size = prefix.version == 4 ? 4 : 16;
  for (std::size_t i = prefix.length / 8; i < size; ++i) {
    const unsigned behind = i == prefix.length / 8u ? 0xffu >> prefix.length % 8 : 0xffu;
    if (prefix.address[i] & behind) return true;
  }
  return false;
}

}  // namespace

std::string in_quotes(std::string_view text) { return "'" + shortened(printable(text)) + "'"; }

ValueRange parse_range(std::string_view text) {
  const std::size_t dash = text.find('-');
  ValueRange range;
  range.low = range.high = whole_number<std::uint64_t>(text.substr(0, dash), text);
  if (dash == text.npos) return range;
  const std::string_view high = text.substr(dash + 1);
  range.high = high.empty() ? std::numeric_limits<std::uint64_t>::max() : whole_number<std::uint64_t>(high, text);
  if (range.low > range.high) throw PolicyError(in_quotes(text) + ": the range is empty");
  return range;
}

AddressPrefix parse_prefix(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string address(text.substr(0, slash));
  AddressPrefix prefix;
  prefix.version = address.find(':') == address.npos ? 4 : 6;
  const bool whole = address.find('\0') == address.npos;
  if (!whole || inet_pton(prefix.version == 4 ? AF_INET : AF_INET6, address.c_str(), prefix.address.data()) != 1) {
    throw PolicyError(in_quotes(text) + " is no address and no prefix");
  }
  const unsigned bits = prefix.version == 4 ? 32 : 128;
  unsigned length = bits;
  if (slash != text.npos) {
    const char* const last = text.data() + text.size();
    const auto [end, failed] = std::from_chars(text.data() + slash + 1, last, length);
    if (end != last || failed != std::errc() || length > bits) {
      throw PolicyError(in_quotes(text) + ": a prefix has 0 to " + std::to_string(bits) + " bits");
    }
  }
  prefix.length = static_cast<std::uint8_t>(length);
  if (has_bits_behind(prefix)) throw PolicyError(in_quotes(text) + " has host bits set");
  return prefix;
}

std::uint8_t protocol_of(std::string_view name) {
  struct Protocol {
    std::string_view name;
    std::uint8_t number;
  };
  static constexpr Protocol kProtocols[] = {{"icmp", 1},    {"tcp", 6},    {"udp", 17},
                                            {"icmpv6", 58}, {"sctp", 132}, {"gre", 47}};
  for (const Protocol& each : kProtocols) {
    if (each.name == name) return each.number;
  }
  throw PolicyError("unknown protocol " + in_quotes(name));
}

std::uint8_t parse_flags(std::string_view letters) {
  constexpr std::string_view kLetters = "FSRPAUEC";  // from the lowest bit on
  unsigned flags = 0;
  for (const char letter : letters) {
    const std::size_t bit = kLetters.find(letter);
    if (bit == kLetters.npos) throw PolicyError(in_quotes(letters) + ": flags are of " + std::string(kLetters));
    flags |= 1u << bit;
  }
  return static_cast<std::uint8_t>(flags);
}

void check_label(std::string_view label) {
  const auto good = [](char c) { return is_word_character(c) || c == ':' || c == '/' || c == '-'; };
  if (!label.empty() && label.size() <= 64 && std::all_of(label.begin(), label.end(), good)) return;
  throw PolicyError("bad label " + in_quotes(label) + ": 1 to 64 of letters, digits and _.:/-");
}

void check_column(std::string_view column) {
  if (column == kLabelsName || is_own_column(column)) {
    throw PolicyError("bad column " + in_quotes(column) + ": Flow Records have a column of that name");
  }
  const bool begins = !column.empty() && (column.front() < '0' || column.front() > '9') && column.front() != '.';
  if (begins && column.size() <= 64 && std::all_of(column.begin(), column.end(), is_word_character)) return;
  throw PolicyError("bad column " + in_quotes(column) + ": a letter or _, then up to 63 of letters, digits and _.");
}

std::optional<std::string> latin1(std::string_view utf8) {
  std::string bytes;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto byte = static_cast<unsigned char>(utf8[i]);
    if (byte < 0x80) {
      bytes += utf8[i];
      continue;
    }
    if ((byte != 0xc2 && byte != 0xc3) || i + 1 == utf8.size()) return std::nullopt;
    bytes += static_cast<char>((byte & 3) << 6 | (static_cast<unsigned char>(utf8[++i]) & 0x3f));
  }
  return bytes;
}

}  // namespace warpmeter::inline policy
