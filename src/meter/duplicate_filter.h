// Finds the mirror port's copies ("switching duplicates", DEFINITIONS.md): a packet that equals the latest packet of
// the same identity among the last `window` packet numbers, at most a gap away in time. Exact: nothing inside the
// window is ever forgotten, whatever the traffic.
//
// Packets lie in a ring, in trace order, which grows until it holds a window; those of equal hash are chained from the
// latest backwards. A chain ends at the first packet outside the window or the ring, so nothing is ever removed
// from one.
//
// Threads: one owner (a shard).
#pragma once

#include <cstdint>
#include <vector>

#include "warpmeter/flow_key.h"
#include "warpmeter/options.h"
#include "warpmeter/segment.h"

namespace warpmeter {

class DuplicateFilter {
 public:
  // `first_place`: where its counting of places begins; it goes round, so any will do.
  explicit DuplicateFilter(const DuplicateOptions& options, std::uint32_t first_place = 1);

  // Is packet `number` a duplicate? Remembers it either way. Numbers must rise from call to call; `flow_hash` is a hash
  // of `key`.
  bool is_duplicate(const FlowKey& key, std::uint64_t flow_hash, const Segment& segment, std::uint64_t number);

 private:
  using Place = std::uint32_t;  // counts up, round and round; place p lies in ring_[p & ring_mask_]
  struct Entry {
    FlowKey key;
    Segment segment;
    std::uint64_t number;
    std::uint32_t hash;
    Place previous;  // the one before in the chain
  };

  const Entry* latest_like(const FlowKey& key, const Segment& segment, std::uint32_t hash, std::uint64_t number) const;
  bool in_window(const Entry& entry, std::uint64_t number) const { return number - entry.number <= options_.window; }
  void append(const FlowKey& key, const Segment& segment, std::uint32_t hash, std::uint64_t number);
  void grow();

  const DuplicateOptions options_;
  std::vector<Entry> ring_;
  std::vector<Place> latest_;  // by hash: the latest of the chain
  std::uint32_t ring_mask_;
  std::uint32_t latest_mask_;
  Place next_;
  std::uint32_t held_ = 0;  // how many places before next_ the ring holds
};

}  // namespace warpmeter
