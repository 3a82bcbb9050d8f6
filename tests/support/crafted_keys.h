// Families of Flow Keys that somebody might prepare who knows the hash but not its seed; all keys of one are different.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "warpmeter/flow_key.h"

namespace warpmeter::test {

// Constants that hashes of this program have, or had: xored with a factor they make it 0.
inline constexpr std::uint64_t kHashConstants[] = {0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u, 0xa0761d6478bd642fu,
                                                   0xe7037ed1a0b428dbu, 0x8ebc6af09c88c6e3u};

struct CraftedKeys {
  std::string name;
  std::function<FlowKey(std::uint32_t)> key;  // the n-th, n < 2^17

  friend void PrintTo(const CraftedKeys& keys, std::ostream* out) { *out << keys.name; }
};

inline void set_port(std::uint8_t (&port)[2], std::uint32_t number) {
  port[0] = static_cast<std::uint8_t>(number >> 8);
  port[1] = static_cast<std::uint8_t>(number);
}

// As the words of an endpoint lie in a key.
inline void set_words(std::uint8_t (&address)[16], std::uint64_t high, std::uint64_t low) {
  std::memcpy(address, &high, 8);
  std::memcpy(address + 8, &low, 8);
}

inline FlowKey crafted_key(std::uint8_t version) {
  FlowKey key;
  key.version = version;
  key.protocol = kProtocolTcp;
  set_words(key.source, version == 4 ? 0x0100000a : 0x0200b80d01200000u, version == 4 ? 0 : 0x0100000000000000u);
  set_words(key.destination, version == 4 ? 0x0200000a : 0x0100b80d01200000u, version == 4 ? 0 : 0x0100000000000000u);
  set_port(key.source_port, 40000);
  set_port(key.destination_port, 443);
  return key;
}

// An interface id that makes the second factor of an endpoint 0, or a prefix that does so with the first.
inline CraftedKeys zero_factor(std::uint64_t constant, bool of_prefix) {
  return {"zero factor " + std::to_string(constant % 1000) + (of_prefix ? " by prefix" : " by interface id"),
          [=](std::uint32_t n) {
            FlowKey key = crafted_key(6);
            const std::uint64_t port = n & 0xffff, other = n >> 16;
            if (of_prefix) set_words(key.source, constant ^ port << 40, other);
            else set_words(key.source, 0x0000b80d01200000u | other << 56, constant ^ port);
            set_port(key.source_port, n & 0xffff);
            return key;
          }};
}

inline CraftedKeys prefixes_of_48_bits() {
  return {"prefixes of 48 bits", [](std::uint32_t n) {
            FlowKey key = crafted_key(6);
            set_words(key.source, 0x0000b80d01200000u + (std::uint64_t{n} << 47), kHashConstants[1] ^ 40000);
            return key;
          }};
}

inline std::vector<CraftedKeys> crafted_key_families() {
  std::vector<CraftedKeys> families;
  for (const std::uint64_t constant : kHashConstants) {
    for (const bool of_prefix : {false, true}) families.push_back(zero_factor(constant, of_prefix));
  }
  const auto add = [&](const char* name, std::uint8_t version, std::function<void(FlowKey&, std::uint32_t)> change) {
    families.push_back({name, [=](std::uint32_t n) {
                          FlowKey key = crafted_key(version);
                          change(key, n);
                          return key;
                        }});
  };
  families.push_back(prefixes_of_48_bits());
  add("swapped endpoints", 6, [](FlowKey& key, std::uint32_t n) {
    set_words(key.source, n / 2, 7);
    set_words(key.destination, 7, n / 2);
    if (n % 2 == 0) return;
    std::swap(key.source, key.destination);
    std::swap(key.source_port, key.destination_port);
  });
  add("swapped words", 6, [](FlowKey& key, std::uint32_t n) {
    const std::uint64_t a = n / 2 + 1, b = 0x123456789abcdef;
    if (n % 2) set_words(key.source, a, b);
    else set_words(key.source, b, a);
  });
  add("equal products", 6, [](FlowKey& key, std::uint32_t n) {
    set_words(key.source, std::uint64_t{1} << n % 32, std::uint64_t{n / 32 + 1} << (32 - n % 32));
  });
  add("one sum of endpoints", 6, [](FlowKey& key, std::uint32_t n) {
    set_words(key.source, n, n);
    set_words(key.destination, std::uint64_t{0} - n, std::uint64_t{0} - n);
  });
  add("a host to itself", 4, [](FlowKey& key, std::uint32_t n) {
    set_words(key.source, 0x0100007f | std::uint64_t{n >> 16} << 16, 0);
    std::memcpy(key.destination, key.source, 16);
    set_port(key.source_port, n & 0xffff);
    set_port(key.destination_port, n & 0xffff);
  });
  add("source ports", 4, [](FlowKey& key, std::uint32_t n) {
    set_words(key.source, 0x0100000a + (n >> 16 << 24), 0);
    set_port(key.source_port, n & 0xffff);
  });
  add("destination ports", 6, [](FlowKey& key, std::uint32_t n) {
    set_words(key.destination, 1, n >> 16);
    set_port(key.destination_port, n & 0xffff);
  });
  add("addresses of a network", 4,
      [](FlowKey& key, std::uint32_t n) { set_words(key.destination, __builtin_bswap32(0x0a000000 + n), 0); });
  add("a scan", 4, [](FlowKey& key, std::uint32_t n) {
    set_words(key.destination, __builtin_bswap32(0x0a000000 + n % 4096), 0);
    set_port(key.destination_port, n / 4096);
  });
  return families;
}

}  // namespace warpmeter::test
