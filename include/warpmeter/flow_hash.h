// Hashes of a Flow Key. Two of them, for two purposes:
//   shard_of  is the same in every process and for both directions of a conversation. It decides who meters a flow, so
//             eviction under --memory depends on it, and the output must not change from run to run.
//   flow_hash is seeded at random for each process, so that nobody can prepare traffic that fills one bucket. It only
//             decides where a flow lies in a table, which no output depends on.
// Source of the mixing step: folded 64x64-bit multiplication, as in wyhash.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpmeter/flow_key.h"

namespace warpmeter {

// Logical shards: fixed, so that neither the number of threads nor that of GPUs can show in the output.
inline constexpr unsigned kShards = 64;
inline constexpr unsigned kShardBits = 6;
static_assert(1u << kShardBits == kShards);

// Where several share the shards, the one who has this one: neighbouring shards, as many each as can be.
WARPMETER_HD inline unsigned share_of(unsigned shard, std::size_t shares) {
  return static_cast<unsigned>(shard * shares >> kShardBits);
}
// The first shard of a share; that of the next share is its end.
WARPMETER_HD inline unsigned first_shard_of(unsigned share, std::size_t shares) {
  return static_cast<unsigned>((std::size_t{share} * kShards + shares - 1) / shares);
}

WARPMETER_HD inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
#if defined(__CUDA_ARCH__)
  return (a * b) ^ __umul64hi(a, b);
#else
  const auto product = static_cast<unsigned __int128>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#endif
}

struct FlowHash {
  std::uint64_t hash;  // depends on the seed and on the direction
  unsigned shard;      // depends on neither
};

// `high` and `low`: the address as it lies in a Flow Key, loaded as two words.
WARPMETER_HD inline std::uint64_t endpoint_hash(std::uint64_t high, std::uint64_t low, std::uint16_t port) {
  return fold_multiply(high ^ 0x9e3779b97f4a7c15u ^ static_cast<std::uint64_t>(port) << 40,
                       low ^ 0xd6e8feb86659fd93u ^ port);
}

WARPMETER_HD inline std::uint64_t endpoint_hash(const std::uint8_t (&address)[16], const std::uint8_t (&port)[2]) {
  std::uint64_t high, low;
  memcpy(&high, address, sizeof high);
  memcpy(&low, address + sizeof high, sizeof low);
  return endpoint_hash(high, low, port_number(port));
}

// Of the hashes of the two endpoints and what else is in a Flow Key.
WARPMETER_HD inline FlowHash hash_flow(std::uint64_t source, std::uint64_t destination, std::uint8_t version,
                                       std::uint8_t protocol, std::uint16_t vlan, std::uint64_t seed) {
  const std::uint64_t rest = static_cast<std::uint64_t>(version) << 32 | protocol << 16 | vlan;
  // A sum and not an exclusive or: packets from a host to itself must not all meet in one shard.
  const std::uint64_t both = fold_multiply(source + destination, rest ^ 0xa0761d6478bd642fu);
  const std::uint64_t directed = fold_multiply(source ^ seed, both ^ 0xe7037ed1a0b428dbu);
  return {fold_multiply(directed ^ seed, 0x8ebc6af09c88c6e3u), static_cast<unsigned>(both >> (64 - kShardBits))};
}

WARPMETER_HD inline FlowHash hash_flow(const FlowKey& key, std::uint64_t seed) {
  return hash_flow(endpoint_hash(key.source, key.source_port), endpoint_hash(key.destination, key.destination_port),
                   key.version, key.protocol, port_number(key.vlan), seed);
}

}  // namespace warpmeter
