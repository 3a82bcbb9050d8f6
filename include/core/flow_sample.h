// Which flows a sample of them has (--sample-flows): one conversation of so many, by a hash of both its ends together,
// so that its two directions are in it or out of it, and every packet of theirs. Whoever does not know the secret
// words cannot tell which ones are in it.
//
// The hash is part of the rules (docs/definitions.md): outputs depend on it.
//
// Plain values, usable from any thread.
#pragma once

#include <cstdint>
#include <tuple>
#include <utility>

#include "core/flow_hash.h"
#include "core/hash_seed.h"

namespace warpmeter {

inline constexpr std::uint32_t kRarestSample = 1 << 20;

struct FlowSample {
  std::uint32_t one_in = 1;  // all
  HashSeed seed = 0;         // known to everybody, and so the same in every run

  bool takes_all() const { return one_in <= 1; }
  bool takes(const HashedKey& key) const;
};

// In a live capture it may change (--sample-flows auto).
struct SampleChange {
  std::int64_t time_ns;  // since 1970 UTC: packets from then on
  std::uint32_t one_in;  // flows
};

namespace flow_sample_detail {

// The same for both directions: the lesser end first. ICMP has no ports, and its requests and replies have other types.
inline HashedKey undirected(const HashedKey& key) {
  constexpr std::uint64_t kPort = 0xffff;
  const std::uint64_t protocol = key.rest >> 32 & 0xff;
  const bool has_types = protocol == kProtocolIcmp || protocol == kProtocolIcmpV6;
  std::tuple a(key.source_high, key.source_low, has_types ? 0 : key.rest & kPort);
  std::tuple b(key.destination_high, key.destination_low, has_types ? 0 : key.rest >> 16 & kPort);
  if (b < a) std::swap(a, b);
  const auto [a_high, a_low, a_port] = a;
  const auto [b_high, b_low, b_port] = b;
  return {a_high, a_low, b_high, b_low, key.rest >> 32 << 32 | b_port << 16 | a_port};
}

}  // namespace flow_sample_detail

// hash / 2^64 < 1 / one_in
inline bool FlowSample::takes(const HashedKey& key) const {
  return high_half(wide_product(seeded_hash_of(flow_sample_detail::undirected(key), seed), one_in)) == 0;
}

}  // namespace warpmeter
