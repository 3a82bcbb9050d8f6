// The hash of both ends of a conversation, number by number.
#include "sample.h"

#include <algorithm>
#include <array>

namespace reference {
namespace {

using Wide = unsigned __int128;

constexpr Wide two_to_64 = Wide(1) << 64;

// One end: the two halves of its address, the port.
using End = std::array<uint64_t, 3>;

uint64_t little(const uint8_t* bytes, int count) {
  uint64_t value = 0;
  for (int i = count - 1; i >= 0; --i) value = value * 256 + bytes[i];
  return value;
}

uint64_t bytes_swapped(uint16_t number) { return static_cast<uint64_t>(number % 256 * 256 + number / 256); }

End end_of(const Address& address, uint16_t port) {
  return {little(address.data(), 8), little(address.data() + 8, 8), bytes_swapped(port)};
}

std::array<uint64_t, 8> words() {
  std::array<uint64_t, 8> result;
  uint64_t number = 0;
  for (uint64_t& word : result) {
    number += 0x9e3779b97f4a7c15u;
    word = (number ^ number / (uint64_t(1) << 31)) * 0xbf58476d1ce4e5b9u;
    word ^= word / (uint64_t(1) << 29);
  }
  return result;
}

// The product of two numbers of 64 bits, modulo 2^64 each.
Wide product(uint64_t a, uint64_t b) { return Wide(a) * b; }

uint64_t hash_of(const End& lesser, const End& greater, uint64_t rest) {
  const auto w = words();
  const Wide sum = product(lesser[0] + w[0], lesser[1] + w[1]) + product(greater[0] + w[2], greater[1] + w[3]) +
                   product(rest + w[4], w[5]);
  const Wide folded =
      product(static_cast<uint64_t>(sum % two_to_64) ^ w[6], static_cast<uint64_t>(sum / two_to_64) ^ w[7]);
  return static_cast<uint64_t>(folded % two_to_64) ^ static_cast<uint64_t>(folded / two_to_64);
}

}  // namespace

bool is_sampled(const FlowKey& key, uint64_t one_in) {
  const bool is_icmp = key.protocol == 1 || key.protocol == 58;
  End a = end_of(key.source, is_icmp ? 0 : key.source_port);
  End b = end_of(key.destination, is_icmp ? 0 : key.destination_port);
  if (b < a) std::swap(a, b);
  constexpr uint64_t two_to_16 = 1 << 16, two_to_32 = two_to_16 << 16;
  const uint64_t rest = a[2] + b[2] * two_to_16 + key.protocol * two_to_32 +
                        bytes_swapped(key.vlan) * (two_to_32 << 8) + key.version * (two_to_32 << 24);
  return Wide(hash_of(a, b, rest)) * one_in < two_to_64;
}

}  // namespace reference
