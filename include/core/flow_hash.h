// Hashes of a Flow Key. Two of them, for two purposes:
//   hash   depends on secret words that every process draws anew (HashSeed), so that nobody can prepare traffic that
//          fills one bucket. It only decides where a flow lies in a table, which no output depends on.
//   shard  is the same in every process and for both directions of a conversation. It decides who meters a flow, so
//          eviction under --memory depends on it, and the output must not change from run to run.
//
// Whoever knows this code can therefore prepare flows of one shard. A packet of theirs takes the CPU no longer than one
// of other flows, but one thread alone meters them. And a shard has a 64th of the memory for flows: more of them at
// once are evicted and come back, a partial record each time, as otherwise 64 times as many flows would. bench/attacks
// measures both.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/hash_seed.h"
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

struct FlowHash {
  std::uint64_t hash;  // depends on the seed and on the direction
  unsigned shard;      // depends on neither
};

// A Flow Key as it is hashed. Of each address the first and the last 8 bytes as they lie in the key; ports, protocol
// and VLAN id as they lie there behind each other, then the version.
struct HashedKey {
  std::uint64_t source_high, source_low;
  std::uint64_t destination_high, destination_low;
  std::uint64_t rest;
};

// Alike for both directions, and unseeded. Of ICMP, whose requests and replies have other types, it depends on the
// addresses alone. Of the middle of the product, which all bits of both ends reach.
WARPMETER_HD inline unsigned shard_of(std::uint64_t source, std::uint64_t destination, std::uint64_t start) {
  constexpr std::uint64_t kStart = 0xd6e8feb86659fd93u;
  return static_cast<unsigned>(fold_multiply(source + (kStart + start), destination + (kStart + start)) >> 32) %
         kShards;
}
WARPMETER_HD inline unsigned shard_of(const HashedKey& key) {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15u;
  const std::uint64_t protocol = key.rest >> 32 & 0xff;
  const bool has_types = protocol == kProtocolIcmp || protocol == kProtocolIcmpV6;
  const std::uint64_t destination_port = has_types ? 0 : key.rest >> 16 << 48 >> 16;
  const std::uint64_t source = key.source_high + key.source_low * kOdd + (key.rest << 48 >> 16);
  const std::uint64_t destination = key.destination_high + key.destination_low * kOdd + destination_port;
  return shard_of(source, destination, key.rest >> 32);
}
// The same for TCP in IPv4 without a VLAN id: of both addresses and both ports, as they lie in the headers.
WARPMETER_HD inline unsigned shard_of_tcp4(std::uint64_t addresses, std::uint32_t ports) {
  constexpr std::uint64_t kPort = 0xffff;
  return shard_of((addresses & 0xffffffff) + ((ports & kPort) << 32),
                  (addresses >> 32) + (std::uint64_t{ports} >> 16 << 32), kProtocolTcp | std::uint64_t{4} << 24);
}

WARPMETER_HD inline std::uint64_t seeded_hash_of(const HashedKey& key, const HashSeed& seed) {
  const std::uint64_t* const w = seed.word;
  const Wide sum = wide_product(key.source_high + w[0], key.source_low + w[1]) +
                   wide_product(key.destination_high + w[2], key.destination_low + w[3]) +
                   wide_product(key.rest + w[4], w[5]);
  return fold_multiply(low_half(sum) ^ w[6], high_half(sum) ^ w[7]);
}

WARPMETER_HD inline FlowHash hash_flow(const HashedKey& key, const HashSeed& seed) {
  return {seeded_hash_of(key, seed), shard_of(key)};
}

WARPMETER_HD inline HashedKey hashed_key(const FlowKey& key) {
  static_assert(offsetof(FlowKey, source) == 1 && offsetof(FlowKey, destination) == 17);
  static_assert(offsetof(FlowKey, source_port) == 33 && offsetof(FlowKey, protocol) == 37);
  const std::uint64_t a = key_word(key, 0), b = key_word(key, 1), c = key_word(key, 2), d = key_word(key, 3),
                      e = key_word(key, 4);
  return {a >> 8 | b << 56, b >> 8 | c << 56, c >> 8 | d << 56, d >> 8 | e << 56, e >> 8 | a << 56};
}

// Back again.
WARPMETER_HD inline void set_key(const HashedKey& h, FlowKey& key) {
  set_key_word(key, 0, h.rest >> 56 | h.source_high << 8);
  set_key_word(key, 1, h.source_high >> 56 | h.source_low << 8);
  set_key_word(key, 2, h.source_low >> 56 | h.destination_high << 8);
  set_key_word(key, 3, h.destination_high >> 56 | h.destination_low << 8);
  set_key_word(key, 4, h.destination_low >> 56 | h.rest << 8);
}
inline FlowKey flow_key(const HashedKey& h) {
  FlowKey key;
  set_key(h, key);
  return key;
}

WARPMETER_HD inline FlowHash hash_flow(const FlowKey& key, const HashSeed& seed) {
  return hash_flow(hashed_key(key), seed);
}

}  // namespace warpmeter
