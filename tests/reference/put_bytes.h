// Big-endian fields appended to bytes.
#pragma once

#include <cstdint>
#include <vector>

namespace reference {

inline void put(std::vector<uint8_t>& out, uint64_t value, int count) {
  while (count-- > 0) out.push_back(static_cast<uint8_t>(value >> (8 * count)));
}

inline void put(std::vector<uint8_t>& out, const std::vector<uint8_t>& bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
}

}  // namespace reference
