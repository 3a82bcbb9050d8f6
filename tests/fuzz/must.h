// What has to hold whatever the input: if not, the program ends here, in a release build too, and the input is a
// finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace warpmeter::fuzz {

inline void must(bool condition) {
  if (!condition) std::abort();
}

// Does [at, at + size) lie in [data, data + bytes)? An empty one may lie at the end.
inline bool lies_in(const std::uint8_t* at, std::size_t size, const std::uint8_t* data, std::size_t bytes) {
  return at >= data && at <= data + bytes && size <= static_cast<std::size_t>(data + bytes - at);
}

}  // namespace warpmeter::fuzz
