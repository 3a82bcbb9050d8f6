// The flow table on the device: Flow Key -> flow id, a dense number that is the place of the flow's state. Open
// addressing, linear from the beginning of a bucket; fixed capacity, bounded probes. Nothing is deleted one by one: a
// flow that expired keeps its slot and its id until the table is rehashed (rehash_flow_table.cuh).
//
// A key that finds no room is metered on the CPU, and must not be let in while its flow lives there. So where one was
// refused, the table is closed to all new keys from the next batch on (FlowRoom), until the host opens it again.
//
// A slot is one 64-bit word, claimed by one compare-and-swap:
//   0                                  empty
//   tag(31) | 0 | position in batch    claimed in the present batch; the key is that of the segment at this position
//   tag(31) | 1 | flow id              settled in an earlier kernel; the key is in the flow's state
// Either way the whole key can be compared at once, because it lies in memory that no thread of this kernel writes:
// there is nothing to publish, nothing to wait for.
//
// Shape: a Ref is passed to kernels by value; who made it owns the memory. Source of the probing scheme: Awad et al.,
// "Analyzing and Implementing GPU Hash Tables" (BGHT), bucketed linear probing with a tile a key.
#pragma once

#include <cstdint>

#include "atomic.cuh"
#include "core/flow_state.h"
#include "warpmeter/flow_key.h"

namespace warpmeter {

inline constexpr std::uint32_t kSlotsPerBucket = 8;  // 64 bytes
inline constexpr std::uint32_t kNoSlot = UINT32_MAX;

// Where a segment's key was found, or that it was not.
struct FlowPlace {
  std::uint32_t slot;  // kNoSlot: not there and no room (or no leave) to enter it
  std::uint64_t word;  // the slot's
};

// How much room there is. Flow ids that nobody has lie in a list; they are given from its beginning.
struct FlowRoom {
  std::uint32_t given;     // of the list, so many
  std::uint32_t free;      // that the list had
  std::uint32_t released;  // ids whose flows expired: free as soon as the table is rehashed
  std::uint32_t open;      // new keys may be entered
  std::uint32_t refused;   // a key found no room
  std::uint32_t lost;      // a key that was there found no place when the table was rehashed
};

struct FlowTableRef {
  std::uint64_t* slot;
  std::uint32_t slots;     // a power of two, at least kSlotsPerBucket
  std::uint32_t probes;    // how many slots are looked at
  std::uint32_t capacity;  // flow ids are below this
  FlowState* state;        // [capacity]
  std::uint32_t* free_id;  // [capacity]
  FlowRoom* room;

  static constexpr std::uint64_t kSettled = std::uint64_t{1} << 32;
  static constexpr std::uint64_t kTagMask = ~std::uint64_t{0} << 33;

  // Never 0 together with the rest of the word.
  WARPMETER_HD static std::uint64_t tag_of(std::uint64_t hash) { return (hash & kTagMask) | std::uint64_t{1} << 63; }
  WARPMETER_HD static std::uint32_t number_in(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
  WARPMETER_HD static bool is_settled(std::uint64_t word) { return word & kSettled; }

  WARPMETER_HD const FlowKey& key_of(std::uint64_t word, const FlowKey* batch_key) const {
    return is_settled(word) ? state[number_in(word)].key : batch_key[number_in(word)];
  }

  // A flow id that nobody has. REQUIRES: there is one.
  WARPMETER_HD std::uint32_t new_id() const { return free_id[fetch_add(&room->given, 1)]; }

  WARPMETER_HD std::uint32_t bucket_of(std::uint64_t hash) const {
    return static_cast<std::uint32_t>(hash) & (slots - 1) & ~(kSlotsPerBucket - 1);
  }

  // Enters a flow id under a key that is not there. False: no place within the probes. One thread.
  WARPMETER_HD bool enter(std::uint64_t hash, std::uint32_t flow) const {
    const std::uint64_t word = tag_of(hash) | kSettled | flow;
    for (std::uint32_t probe = 0; probe < probes; ++probe) {
      if (compare_and_swap(&slot[(bucket_of(hash) + probe) & (slots - 1)], 0, word) == 0) return true;
    }
    return false;
  }

  // Finds the slot of the key at `position` of the batch, or claims one if `may_claim`. Collective.
  template <class Tile>
  WARPMETER_HD FlowPlace find_or_claim(Tile& tile, const FlowKey* batch_key, std::uint32_t position, std::uint64_t hash,
                                       bool may_claim) const {
    const std::uint64_t tag = tag_of(hash);
    const std::uint32_t start = bucket_of(hash);
    for (std::uint32_t probe = 0; probe < probes; probe += Tile::kSize) {
      const std::uint32_t at = (start + probe + tile.rank()) & (slots - 1);
      std::uint64_t word = load_relaxed(&slot[at]);
      for (;;) {
        const bool alike = word != 0 && (word & kTagMask) == tag;
        const std::uint32_t same = tile.ballot(alike && key_of(word, batch_key) == batch_key[position]);
        if (same) return {tile.shfl(at, lowest_bit(same)), tile.shfl(word, lowest_bit(same))};
        const std::uint32_t empty = tile.ballot(word == 0);
        if (!empty) break;
        if (!may_claim) return {kNoSlot, 0};  // the key would be here
        const unsigned first = lowest_bit(empty);
        if (tile.rank() == first) {
          const std::uint64_t mine = tag | position;
          const std::uint64_t found = compare_and_swap(&slot[at], 0, mine);
          word = found ? found : mine;
        }
        // Somebody else was faster? Then look again: it may have been this very key.
        if (tile.shfl(word, first) == (tag | position)) return {tile.shfl(at, first), tag | position};
      }
    }
    return {kNoSlot, 0};
  }
};

}  // namespace warpmeter
