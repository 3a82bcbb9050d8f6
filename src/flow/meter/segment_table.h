// The segment table of method five-tuple (docs/definitions.md): which data segments the current and the previous memory
// block of the trace held, by Flow Key and sequence number. Exact: keys are compared whole.
//
// Each block has a table of its own, so that forgetting a block is clearing one. Both grow by doubling with what the
// block holds; --block limits that.
//
// Threads: one owner (a shard).
#pragma once

#include <cstdint>
#include <vector>

#include "core/hash_seed.h"
#include "core/options.h"
#include "core/segment.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline flow {

// `flow_hash` is as secret as the seed: nobody can prepare sequence numbers that meet in one place. Numbers in equal
// steps are what a sum of products spreads worst, under one seed in a hundred; hence a second product.
inline std::uint64_t segment_hash(std::uint64_t flow_hash, std::uint32_t sequence, const HashSeed& seed) {
  const std::uint64_t hash = fold_multiply(flow_hash ^ sequence, seed.word[10] ^ std::uint64_t{sequence} << 32);
  return fold_multiply(hash ^ seed.word[11], seed.word[12]);
}

// The data segments of one memory block.
class BlockSegments {
 public:
  explicit BlockSegments(const HashSeed& seed);

  // The latest time of the data segments entered with this key and sequence number; null if there are none. Valid until
  // the next enter().
  std::int64_t* find(const FlowKey& key, std::uint64_t hash, std::uint32_t sequence);
  // REQUIRES: find() gave null. `hash` is a hash of `key`.
  void enter(const FlowKey& key, std::uint64_t hash, std::uint32_t sequence, std::int64_t time_ns);
  void clear();

 private:
  // A Flow Key gets a number, so that an entry is 16 bytes.
  struct Key {
    FlowKey key;
    std::uint64_t hash;
  };
  struct Entry {
    std::uint32_t key;  // number + 1; 0 = empty
    std::uint32_t sequence;
    std::int64_t latest_ns;
  };

  std::uint32_t find_key(const FlowKey& key, std::uint64_t hash) const;  // number + 1; 0 = none
  std::uint32_t enter_key(const FlowKey& key, std::uint64_t hash);
  std::size_t place_of(std::uint64_t hash, std::uint32_t sequence) const;
  void grow_index();
  void grow_entries();

  HashSeed seed_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> index_;  // number + 1 of a key; a power of two
  std::vector<Entry> entries_;        // a power of two
  std::size_t used_ = 0;
};

class SegmentTable {
 public:
  SegmentTable(const FiveTupleOptions& options, const HashSeed& seed)
      : options_(options), current_(seed), previous_(seed) {}

  // Is this data segment a retransmission? Remembers it either way. REQUIRES: no duplicate; numbers rise from call to
  // call; `hash` is a hash of `key`.
  bool is_retransmitted(const FlowKey& key, std::uint64_t hash, const Segment& segment, std::uint64_t number);

 private:
  void turn_to(std::uint64_t block);
  bool within_gap(std::int64_t time_ns, std::int64_t original_ns) const;

  const FiveTupleOptions options_;
  BlockSegments current_, previous_;
  std::uint64_t block_ = 0;
};

}  // namespace warpmeter::inline flow
