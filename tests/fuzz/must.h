// What has to hold whatever the input: if not, the program ends here, in a release build too, and the input is a
// finding.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace warpmeter::fuzz {

inline void must(bool condition) {
  if (!condition) std::abort();
}

// Does [at, at + size) lie in [data, data + bytes)? An empty one may lie at the end.
inline bool lies_in(const std::uint8_t* at, std::size_t size, const std::uint8_t* data, std::size_t bytes) {
  return at >= data && at <= data + bytes && size <= static_cast<std::size_t>(data + bytes - at);
}

// Of what users are told.
inline bool is_one_line(std::string_view text) {
  return !text.empty() && text.size() < 2000 && std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
}

}  // namespace warpmeter::fuzz
