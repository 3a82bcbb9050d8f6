// When two packets are copies of one packet, and how far apart copies may come (DEFINITIONS.md, "Duplicates").
#pragma once

#include <cstdint>

#include "warpmeter/flow_hash.h"
#include "warpmeter/options.h"
#include "warpmeter/segment.h"

namespace warpmeter {

// `flow_hash`: of the Flow Key, which belongs to the identity. It is seeded and stands in both factors: nobody can
// prepare packets that make one of them 0, and with it the hash.
WARPMETER_HD inline std::uint64_t identity_hash(std::uint64_t flow_hash, const Segment& s) {
  const std::uint64_t turned = flow_hash << 32 | flow_hash >> 32;
  return fold_multiply(flow_hash ^ s.identity.a, turned ^ s.identity.b ^ (std::uint64_t{s.sequence} << 32 | s.length));
}

// Identity beside the Flow Key, of packets that have one (kHasIdentity). Fields that a packet without a TCP header
// lacks are 0 in it. Whether the header was well formed is no part of the identity.
WARPMETER_HD inline bool same_packet(const Segment& a, const Segment& b) {
  return a.identity.a == b.identity.a && a.identity.b == b.identity.b && a.length == b.length &&
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
