// The algorithm as the standard has it; its constants are roots of primes, worked out here.
#include "oracle_sha256.h"

#include <array>
#include <bit>
#include <cmath>
#include <vector>

namespace reference {
namespace {

bool is_prime(uint32_t number) {
  for (uint32_t i = 2; i * i <= number; ++i)
    if (number % i == 0) return false;
  return number > 1;
}

// The first 32 bits behind the point of the square or cube root of each of the first primes.
template <size_t kCount>
std::array<uint32_t, kCount> roots(bool cube) {
  std::array<uint32_t, kCount> result{};
  uint32_t number = 2;
  for (uint32_t& value : result) {
    while (!is_prime(number)) ++number;
    const long double root = cube ? cbrtl(number) : sqrtl(number);
    value = static_cast<uint32_t>((root - floorl(root)) * 4294967296.0L);
    ++number;
  }
  return result;
}

using State = std::array<uint32_t, 8>;

void mix(State& state, const uint8_t* block) {
  static const auto k = roots<64>(true);
  std::array<uint32_t, 64> w{};
  for (size_t i = 0; i < 64; ++i) w[i / 4] = w[i / 4] << 8 | block[i];
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t a = w[i - 15], b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t first = h + s1 + ((e & f) ^ (~e & g)) + k[i] + w[i];
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t second = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
  }
  const State next{a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < state.size(); ++i) state[i] += next[i];
}

}  // namespace

std::string sha256(std::span<const uint8_t> bytes) {
  State state = roots<8>(false);
  std::vector<uint8_t> padded(bytes.begin(), bytes.end());
  padded.push_back(0x80);
  while (padded.size() % 64 != 56) padded.push_back(0);
  for (int i = 7; i >= 0; --i) padded.push_back(static_cast<uint8_t>(uint64_t{bytes.size()} * 8 >> 8 * i));
  for (size_t at = 0; at < padded.size(); at += 64) mix(state, padded.data() + at);
  std::string text;
  for (const uint32_t value : state)
    for (int shift = 28; shift >= 0; shift -= 4) text += "0123456789abcdef"[value >> shift & 15];
  return text;
}

}  // namespace reference
