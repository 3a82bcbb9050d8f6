// Finds the mirror port's copies ("switching duplicates", DEFINITIONS.md): a packet that equals the latest packet of
// the same identity among the last `window` packet numbers, at most a gap away in time. Exact: nothing inside the
// window is ever forgotten, whatever the traffic.
//
// The packets of the window lie in a ring, in trace order; those of equal hash are chained from the latest backwards,
// so a chain ends at the first packet that has left the window and nothing is ever removed from one.
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
  explicit DuplicateFilter(const DuplicateOptions& options);

  // Is packet `number` a duplicate? Remembers it either way. Numbers must rise from call to call; `flow_hash` is a hash
  // of `key`.
  bool is_duplicate(const FlowKey& key, std::uint64_t flow_hash, const Segment& segment, std::uint64_t number);

 private:
  struct Entry {
    FlowKey key;
    Segment segment;
    std::uint64_t number;
    std::uint64_t hash;
    std::uint64_t previous;  // place of the one before in the chain
  };

  bool in_window(std::uint64_t place) const { return place >= oldest_; }
  void forget_before_window(std::uint64_t number);
  Entry& append(std::uint64_t hash);
  void grow();

  const DuplicateOptions options_;
  // Places count up from 1 for ever; place p lies in ring_[p & ring_mask_].
  std::vector<Entry> ring_;
  std::vector<std::uint64_t> latest_;  // by hash: the latest place of the chain, 0 if none
  std::uint64_t ring_mask_;
  std::uint64_t oldest_ = 1;
  std::uint64_t next_ = 1;
};

}  // namespace warpmeter
