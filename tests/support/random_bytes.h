// Bytes without any order, the same in every run.
#pragma once

#include <random>

#include "support/byte_writer.h"

namespace warpmeter::test {

inline Bytes random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

}  // namespace warpmeter::test
