// The beginning of a Flow Key as a number of 128 bits that compares as the key does: nearly all comparisons of a sort
// or a merge end here, without a look at the record. Of IPv4 it holds the whole key, its unused address bytes left out;
// of IPv6 the source address but for its last bit, for which the version needs the room. The rest of an IPv6 key makes
// two numbers more, for keys of which very many begin alike.
#pragma once

#include <cstdint>

#include "core/byte_order.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline flow {

struct KeyPrefix {
  std::uint64_t high = 0, low = 0;

  bool operator==(const KeyPrefix&) const = default;
  // As one number of 128 bits: a sort cannot foretell whether the higher halves differ.
  bool operator<(const KeyPrefix& other) const { return whole() < other.whole(); }

 private:
  unsigned __int128 whole() const { return static_cast<unsigned __int128>(high) << 64 | low; }
};

inline KeyPrefix prefix_of(const FlowKey& key) {
  if (key.version != 4) {
    const std::uint64_t high = byte_swap(load<std::uint64_t>(key.source));
    const std::uint64_t low = byte_swap(load<std::uint64_t>(key.source + sizeof high));
    return {std::uint64_t{1} << 63 | high >> 1, high << 63 | low >> 1};
  }
  const std::uint64_t source = load_be32(key.source), destination = load_be32(key.destination);
  return {std::uint64_t{key.version} << 56 | source << 24 | destination >> 8,
          destination << 56 | std::uint64_t{port_number(key.source_port)} << 40 |
              std::uint64_t{port_number(key.destination_port)} << 24 | std::uint64_t{key.protocol} << 16 |
              port_number(key.vlan)};
}

// How many numbers make up a key.
inline int prefixes_in(const FlowKey& key) { return key.version != 4 ? 3 : 1; }

// Number `depth` of an IPv6 key, from 1. REQUIRES: depth < prefixes_in(key). Those before it are alike in all keys that
// are compared by it.
inline KeyPrefix further_prefix(const FlowKey& key, int depth) {
  const std::uint64_t last = key.destination[15] & 1;
  if (depth == 2) {
    return {last, std::uint64_t{port_number(key.source_port)} << 40 |
                      std::uint64_t{port_number(key.destination_port)} << 24 | std::uint64_t{key.protocol} << 16 |
                      port_number(key.vlan)};
  }
  const std::uint64_t high = byte_swap(load<std::uint64_t>(key.destination));
  const std::uint64_t low = byte_swap(load<std::uint64_t>(key.destination + sizeof high));
  return {std::uint64_t{key.source[15]} << 63 | high >> 1, high << 63 | low >> 1};
}

}  // namespace warpmeter::inline flow
