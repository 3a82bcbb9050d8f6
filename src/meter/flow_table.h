// The live flows of a shard: states in slabs, found through an open-addressed index of 8-byte entries {tag, state
// number}. Memory is fixed by a budget; the index grows by doubling and is built anew after flows were let go, so there
// are no tombstones.
//
// Threads: one owner (a shard).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "warpmeter/flow_key.h"
#include "warpmeter/flow_state.h"

namespace warpmeter {

class FlowTable {
 public:
  // `memory`: bytes for states and index. `hash_seed`: that of the hashes which find() is given.
  FlowTable(std::uint64_t memory, std::uint64_t hash_seed);

  // The state of `key`, or null.
  FlowState* find(const FlowKey& key, std::uint64_t hash);

  // A state for `key`, all but the key undefined. REQUIRES: has_room(), and find() gave null.
  FlowState& insert(const FlowKey& key, std::uint64_t hash);

  bool has_room() const { return live_ < room_; }
  std::size_t live() const { return live_; }
  bool grow();  // more room; false if the budget allows none

  // Lets a state go. The index still names it: call rebuild_index() before the next find().
  void release(std::size_t number);
  void rebuild_index();

  // States by number, in use or not (kInUse): 0 .. states() - 1.
  std::size_t states() const { return used_; }
  FlowState& state(std::size_t number) { return slabs_[number / kSlab][number % kSlab]; }

  void prefetch_index(std::uint64_t hash) const { __builtin_prefetch(&index_[hash & mask_]); }
  // Follows the index, which should be in the cache by now.
  void prefetch_state(std::uint64_t hash);

 private:
  static constexpr std::size_t kSlab = 256;
  using Entry = std::uint64_t;  // 0 = empty; else tag << 32 | (state number + 1)

  static std::uint64_t tag_of(std::uint64_t hash) { return hash >> 32; }
  void enter(std::uint64_t hash, std::size_t number);
  void set_room();

  const std::uint64_t hash_seed_;
  std::size_t max_states_;
  std::size_t max_index_;
  std::vector<Entry> index_;
  std::uint64_t mask_;
  std::vector<std::unique_ptr<FlowState[]>> slabs_;
  std::size_t used_ = 0;  // states that were ever in use
  std::size_t live_ = 0;
  std::size_t room_ = 0;    // live flows until the next grow()
  std::uint64_t free_ = 0;  // list of free states, linked by `arrival`: number + 1, 0 = end
};

}  // namespace warpmeter
