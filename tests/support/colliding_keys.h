// Keys of 17 bytes (a version and an address, as the report counts hosts) that libstdc++'s std::hash makes one: its
// hash of bytes has no secret, and each step of it can be undone.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace warpmeter::test {

using CollidingKey = std::array<std::uint8_t, 17>;

// The n-th: eight bytes of any value, and the eight that lead from there to the same state.
inline CollidingKey colliding_key(std::uint64_t n) {
  constexpr std::uint64_t kMultiplier = 0xc6a4a7935bd1e995u;  // MurmurHash64A's
  std::uint64_t inverse = 1;
  for (int i = 0; i < 6; ++i) inverse *= 2 - kMultiplier * inverse;
  const auto mixed = [&](std::uint64_t word) {
    word *= kMultiplier;
    return (word ^ word >> 47) * kMultiplier;
  };
  const std::uint64_t start = 0xc70f6907u ^ (sizeof(CollidingKey) * kMultiplier);
  const std::uint64_t after_first = (start ^ mixed(n)) * kMultiplier;
  std::uint64_t second = (after_first ^ 0x123456789abcdefu) * inverse;
  second = (second ^ second >> 47) * inverse;
  CollidingKey key{};
  std::memcpy(key.data(), &n, sizeof n);
  std::memcpy(key.data() + 8, &second, sizeof second);
  return key;
}

}  // namespace warpmeter::test
