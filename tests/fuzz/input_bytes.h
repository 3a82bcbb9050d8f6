// The bytes of an input, taken one after the other; behind their end there are zeros.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/must.h"

namespace warpmeter::fuzz {

class InputBytes {
 public:
  InputBytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  std::uint8_t u8() { return at_ == end_ ? 0 : *at_++; }
  std::uint16_t u16() {
    const std::uint8_t low = u8();
    return static_cast<std::uint16_t>(low | u8() << 8);
  }
  // So many, or what is left.
  std::string text(std::size_t bytes) {
    const std::size_t count = std::min(bytes, left());
    const std::string taken(at_, at_ + count);
    at_ += count;
    return taken;
  }
  std::string rest() { return text(left()); }

 private:
  const std::uint8_t* at_;
  const std::uint8_t* const end_;
};

// What users are shown of an error: one line, which begins with the name of what it is about.
inline void must_be_a_line(const std::string& text, const std::string& name = "") {
  must(text.size() > name.size() && text.starts_with(name));
  must(std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; }));
}

}  // namespace warpmeter::fuzz
