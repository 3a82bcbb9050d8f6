// The segment table on the device: which data segments a memory block of the trace holds, by {flow id, sequence
// number}. Open addressing, linear from the beginning of a bucket. It is made for as many segments as the block may
// hold at a load of at most kSegmentLoad, so a free slot always exists and probing ends there.
//
// A slot is 16 bytes: the key, claimed by one 64-bit compare-and-swap, and the least arrival that brought it. Which
// segment is the original depends on arrivals alone, never on who won. Memory of all ones is an empty table.
//
// Shape: a Ref is passed to kernels by value; who made it owns the memory. Source: the paper's "segment hash table"
// (Listing 1), without its locks.
#pragma once

#include <cstdint>

#include "atomic.cuh"
#include "core/hash_seed.h"

namespace warpmeter {

inline constexpr double kSegmentLoad = 0.6;

struct alignas(16) SegmentSlot {
  std::uint64_t key;      // flow id << 32 | sequence number; all ones = empty
  std::uint32_t arrival;  // the first, counted from the beginning of the block
  std::uint32_t unused;
};

// The secret words of a segment table.
struct SegmentSeed {
  std::uint64_t key = 0, turned = 0, last = 0;

  SegmentSeed() = default;
  explicit SegmentSeed(const HashSeed& seed) : key(seed.word[10]), turned(seed.word[11]), last(seed.word[12]) {}
};

struct SegmentTableRef {
  SegmentSlot* slot;
  std::int64_t* latest_ns;  // beside each slot: latest time of its segments, kNoTime if none; null without a gap
  std::uint64_t slots;      // a power of two below 2^32; 0: no table, nothing is found
  SegmentSeed seed;

  static constexpr std::uint32_t kSlotsPerBucket = 4;  // 64 bytes
  static constexpr std::uint64_t kEmpty = UINT64_MAX;
  static constexpr std::uint32_t kNotFound = UINT32_MAX;
  // No packet has this time (Segment: times are within +-2^62); what memory filled with kNoTimeByte holds.
  static constexpr std::uint8_t kNoTimeByte = 0x80;
  static constexpr std::int64_t kNoTime = static_cast<std::int64_t>(0x8080808080808080u);

  WARPMETER_HD static std::uint64_t key_of(std::uint32_t flow, std::uint32_t sequence) {
    return std::uint64_t{flow} << 32 | sequence;
  }

  WARPMETER_HD std::uint64_t bucket_of(std::uint64_t key) const {
    // Twice, because one product spreads numbers in equal steps badly under some seeds.
    const std::uint64_t hash = fold_multiply(key ^ seed.key, (key << 32 | key >> 32) ^ seed.turned);
    return fold_multiply(hash ^ seed.turned, seed.last) & (slots - 1) & ~std::uint64_t{kSlotsPerBucket - 1};
  }

  // The slot of `key`, entered if it is new. Collective.
  template <class Tile>
  WARPMETER_HD std::uint32_t insert(Tile& tile, std::uint64_t key) const {
    std::uint64_t at = bucket_of(key) + tile.rank();
    for (;; at += Tile::kSize) {
      at &= slots - 1;
      std::uint64_t held = load_relaxed(&slot[at].key);
      for (;;) {
        const std::uint32_t same = tile.ballot(held == key);
        if (same) return tile.shfl(static_cast<std::uint32_t>(at), lowest_bit(same));
        const std::uint32_t empty = tile.ballot(held == kEmpty);
        if (!empty) break;
        const unsigned first = lowest_bit(empty);
        if (tile.rank() == first) {
          const std::uint64_t found = compare_and_swap(&slot[at].key, kEmpty, key);
          held = found == kEmpty ? key : found;
        }
      }
    }
  }

  // The slot of `key`, or kNotFound. Collective.
  template <class Tile>
  WARPMETER_HD std::uint32_t find(Tile& tile, std::uint64_t key) const {
    if (slots == 0) return kNotFound;
    for (std::uint64_t at = bucket_of(key) + tile.rank();; at += Tile::kSize) {
      at &= slots - 1;
      const std::uint64_t held = load_relaxed(&slot[at].key);
      const std::uint32_t same = tile.ballot(held == key);
      if (same) return tile.shfl(static_cast<std::uint32_t>(at), lowest_bit(same));
      if (tile.ballot(held == kEmpty)) return kNotFound;
    }
  }
};

}  // namespace warpmeter
