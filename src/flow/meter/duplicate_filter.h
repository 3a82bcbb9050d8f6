// Finds the mirror port's copies ("switching duplicates", docs/definitions.md): a packet that equals the latest one of
// the same identity among the last `window` packet numbers, at most a gap away in time. Exact: nothing inside the
// window is ever forgotten, whatever the traffic.
//
// Packets lie in a ring, in trace order, which grows until it holds a window; those of equal hash are chained from the
// latest backwards. A chain ends at the first packet outside the window or the ring, so nothing is ever removed
// from one. What was never written in the ring lies outside of every window.
//
// Threads: one owner (a shard).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/identity.h"
#include "core/options.h"
#include "core/prefetch.h"
#include "core/segment.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline flow {

// Those of several shards stand side by side, and several threads write to them: each has cache lines of its own.
class alignas(64) DuplicateFilter {
 public:
  // `first_place`: where its counting of places begins; it goes round, so any will do.
  DuplicateFilter(const DuplicateOptions& options, const HashSeed& seed, std::uint32_t first_place = 1);

  // Is packet `number` a duplicate? Remembers it either way. Numbers must rise from call to call, and stay below 2^63;
  // `flow_hash` is a hash of `key`.
  bool is_duplicate(const FlowKey& key, std::uint64_t flow_hash, const Segment& segment, std::uint64_t number) {
    return is_duplicate(key, hash_of(flow_hash, segment), segment, number);
  }

  // The same in steps, for who can tell before it asks.
  enum class Hash : std::uint32_t {};
  Hash hash_of(std::uint64_t flow_hash, const Segment& segment) const {
    return static_cast<Hash>(static_cast<std::uint32_t>(identity_hash(flow_hash, segment, seed_)));
  }
  void prefetch(Hash hash) const { warpmeter::prefetch(&latest_[chain_of(hash)]); }
  bool is_duplicate(const FlowKey& key, Hash hash, const Segment& segment, std::uint64_t number) {
    if (!(segment.kind & kHasIdentity)) return false;
    const bool duplicate = age_of(latest_[chain_of(hash)]) <= ring_mask_ + 1 &&  // for most the chain is empty
                           repeated(key, segment, hash, number);
    append(key, segment, hash, number);
    return duplicate;
  }
  // The same, and of which packet. Nothing: it is none.
  std::optional<std::uint64_t> duplicate_of(const FlowKey& key, Hash hash, const Segment& segment,
                                            std::uint64_t number) {
    if (!(segment.kind & kHasIdentity)) return std::nullopt;
    const Entry* const earlier = repeated(key, segment, hash, number);
    const std::optional<std::uint64_t> of = earlier ? std::optional(earlier->number) : std::nullopt;
    append(key, segment, hash, number);
    return of;
  }

 private:
  using Place = std::uint32_t;  // counts up, round and round; place p lies in ring_[p & ring_mask_]
  struct Entry {
    FlowKey key;
    Segment segment;
    std::uint64_t number = std::uint64_t{1} << 63;
    Hash hash = {};
    Place previous = 0;  // the one before in the chain
  };

  const Entry* repeated(const FlowKey& key, const Segment& segment, Hash hash, std::uint64_t number) const;
  const Entry* latest_like(const FlowKey& key, const Segment& segment, Hash hash, std::uint64_t number) const;
  std::size_t chain_of(Hash hash) const { return static_cast<std::uint32_t>(hash) & latest_mask_; }
  std::uint32_t age_of(Place place) const { return next_ - place; }
  bool in_window(const Entry& entry, std::uint64_t number) const { return number - entry.number <= options_.window; }

  void append(const FlowKey& key, const Segment& segment, Hash hash, std::uint64_t number) {
    if (in_window(ring_[next_ & ring_mask_], number)) grow();
    Place& latest = latest_[chain_of(hash)];
    Entry& entry = ring_[next_ & ring_mask_];
    entry.key = key;
    entry.segment = segment;
    entry.number = number;
    entry.hash = hash;
    entry.previous = latest;
    latest = next_++;
  }
  void grow();

  const DuplicateOptions options_;
  const IdentitySeed seed_;
  std::vector<Entry> ring_;
  std::vector<Place> latest_;  // by hash: the latest of the chain
  std::uint32_t ring_mask_;
  std::uint32_t latest_mask_;
  Place next_;
};

}  // namespace warpmeter::inline flow
