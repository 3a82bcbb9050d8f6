// Payload that fields are taken from, put together piece by piece.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "policy/fields/field_kind.h"
#include "support/byte_writer.h"

namespace warpmeter::test {

inline Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

inline Bytes from_hex(std::string_view hex) {
  Bytes bytes;
  std::string digits;
  for (const char c : hex) {
    if (c == ' ' || c == '\n') continue;
    digits += c;
    if (digits.size() < 2) continue;
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits, nullptr, 16)));
    digits.clear();
  }
  return bytes;
}

// With its length before it, in so many bytes.
inline Bytes with_length(unsigned size, const Bytes& content) {
  Bytes bytes;
  for (unsigned i = size; i-- > 0;) bytes.push_back(static_cast<std::uint8_t>(content.size() >> 8 * i));
  return bytes + content;
}

inline Bytes numbers16(std::initializer_list<unsigned> numbers) {
  ByteWriter writer;
  for (const unsigned number : numbers) writer.u16(number);
  return writer.data();
}

inline Bytes extension(unsigned kind, const Bytes& content) { return numbers16({kind}) + with_length(2, content); }

inline Bytes server_name_extension(std::string_view name) {
  return extension(0, with_length(2, Bytes{0} + with_length(2, bytes_of(name))));
}

inline Bytes alpn_extension(std::initializer_list<std::string_view> protocols) {
  Bytes list;
  for (const std::string_view protocol : protocols) list = list + with_length(1, bytes_of(protocol));
  return extension(16, with_length(2, list));
}

// A ClientHello of TLS 1.2 and so on.
inline Bytes client_hello(const Bytes& suites, const Bytes& extensions, unsigned version = 0x0303) {
  return Bytes{1} + with_length(3, numbers16({version}) + Bytes(32, 7) + with_length(1, {}) + with_length(2, suites) +
                                       with_length(1, {0}) + with_length(2, extensions));
}

inline Bytes handshake_record(const Bytes& content) { return Bytes{22, 3, 1} + with_length(2, content); }

// Of each beginning of `head` it is nothing or the value of all; returns how many bytes give it.
inline std::size_t bytes_that_give(FieldKind kind, const Bytes& head, const std::string& value) {
  std::size_t first = head.size() + 1;
  for (std::size_t size = head.size() + 1; size-- > 0;) {
    const std::string found = field_value(kind, std::span(head).first(size));
    if (found == value) first = size;
    else if (!found.empty()) return head.size() + 2;
  }
  return first;
}

}  // namespace warpmeter::test
