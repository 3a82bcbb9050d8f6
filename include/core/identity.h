// When two packets are copies of one packet, and how far apart copies may come (docs/definitions.md, "Duplicates").
#pragma once

#include <cstdint>

#include "core/flow_hash.h"
#include "core/options.h"
#include "core/segment.h"

namespace warpmeter {

// The secret words of identity_hash().
struct IdentitySeed {
  std::uint64_t packet, place;

  explicit IdentitySeed(const HashSeed& seed) : packet(seed.word[8]), place(seed.word[9]) {}
};

// `flow_hash`: of the Flow Key, which belongs to the identity. All that same_packet() compares is in it, and a secret
// in every factor: nobody can prepare different packets that have one hash.
WARPMETER_HD inline std::uint64_t identity_hash(std::uint64_t flow_hash, const Segment& s, const IdentitySeed& seed) {
  const std::uint64_t rest = s.identity_b | std::uint64_t{s.window} << 40 | std::uint64_t{s.flags} << 56;
  const Wide sum = wide_product(flow_hash + s.identity_a, seed.packet + rest) +
                   wide_product(std::uint64_t{s.length} << 32 | s.sequence, seed.place);
  return fold_multiply(low_half(sum) ^ flow_hash, high_half(sum) ^ seed.packet);
}

// Identity beside the Flow Key, of packets that have one (kHasIdentity). Whether the header was well formed is no part
// of the identity.
WARPMETER_HD inline bool same_packet(const Segment& a, const Segment& b) {
  return a.identity_a == b.identity_a && a.identity_b == b.identity_b && a.length == b.length &&
         a.sequence == b.sequence && a.window == b.window && a.flags == b.flags;
}

// Is `later`, which equals `earlier`, its copy by time?
WARPMETER_HD inline bool within_duplicate_gap(const Segment& earlier, const Segment& later,
                                              const DuplicateOptions& options) {
  const std::int64_t apart = later.time_ns - earlier.time_ns;
  const std::int64_t gap = later.kind & kAnonymous ? options.gap_anonymous_ns : options.gap_ns;
  return (apart < 0 ? -apart : apart) <= gap;
}

}  // namespace warpmeter
