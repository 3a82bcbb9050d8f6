// The live flows of a shard: states in slabs, found through an open-addressed index of 4-byte entries {tag, state
// number}, sixteen in a bucket. Memory is fixed by a budget; the index grows by doubling and is built anew after many
// flows expired or were evicted at once; where one goes, what had no room before moves into its place. So there are no
// tombstones. A live flow takes 160 bytes, and 5 to 11 in the index; where annexes are kept, 288 with that behind it.
//
// Threads: one owner (a shard).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory_resource>
#include <vector>

#include "core/annex.h"
#include "core/flow_state.h"
#include "core/hash_seed.h"
#include "core/prefetch.h"
#include "flow/meter/equal_bytes.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline flow {

// Sixteen entries of a flow table's index, which are looked at together: one cache line, and no loop whose end nobody
// can predict. The idea is that of "Swiss tables", with the tags beside the numbers.
//
// Entries {tag, number}, from the first one on; the tag of one that is not used is 0.
class alignas(64) IndexBucket {
 public:
  static constexpr unsigned kEntries = 16;
  static constexpr std::uint32_t kMostNumbers = 1 << 24;

  // Never 0.
  static std::uint8_t tag_of(std::uint64_t hash) {
    const auto tag = static_cast<std::uint8_t>(hash >> 56);
    return tag ? tag : 1;
  }

  // The entries with this tag: bit i stands for entry i.
  std::uint32_t with_tag(std::uint8_t tag) const { return equal_bytes(bytes_, tag); }

  bool is_full() const { return bytes_[kEntries - 1] != 0; }
  std::uint32_t number(unsigned i) const {
    std::uint32_t number;  // and before it, the lowest byte, what is not its own
    std::memcpy(&number, bytes_ + kEntries - 1 + kNumberBytes * i, sizeof number);
    return number >> 8;
  }

  bool is_used(unsigned i) const { return bytes_[i] != 0; }
  std::uint8_t tag(unsigned i) const { return bytes_[i]; }

  // The last entry takes its place.
  void remove(unsigned i) {
    unsigned last = kEntries - 1;
    while (!bytes_[last]) --last;
    bytes_[i] = bytes_[last];
    bytes_[last] = 0;
    std::memmove(bytes_ + kEntries + kNumberBytes * i, bytes_ + kEntries + kNumberBytes * last, kNumberBytes);
  }

  // REQUIRES: not full.
  void enter(std::uint8_t tag, std::uint32_t number) {
    unsigned i = 0;
    while (bytes_[i]) ++i;
    bytes_[i] = tag;
    std::memcpy(bytes_ + kEntries + kNumberBytes * i, &number, kNumberBytes);
  }

 private:
  static constexpr unsigned kNumberBytes = 3;
  static_assert(std::endian::native == std::endian::little);

  std::uint8_t bytes_[64] = {};  // the tags, then the numbers
};
static_assert(sizeof(IndexBucket) == 64 && IndexBucket::kEntries * 4 == 64);

class FlowTable {
 public:
  static constexpr std::size_t kMostStates = IndexBucket::kMostNumbers;

  // `memory`: bytes for states and index. `hash_seed`: that of the hashes which find() is given. States lie in `slabs`,
  // which must outlive the table; each with room for an annex, if that is wanted.
  FlowTable(std::uint64_t memory, const HashSeed& hash_seed,
            std::pmr::memory_resource& slabs = *std::pmr::new_delete_resource(), bool annexes = false);
  ~FlowTable();
  FlowTable(const FlowTable&) = delete;
  FlowTable& operator=(const FlowTable&) = delete;

  // The state of `key`, or null.
  CompactFlowState* find(const FlowKey& key, std::uint64_t hash);

  // A state for `key`, all but the key undefined. REQUIRES: has_room(), and find() gave null.
  CompactFlowState& insert(const FlowKey& key, std::uint64_t hash);

  bool has_room() const { return live_ < room_; }
  std::size_t room_left() const { return room_ - live_; }
  std::size_t live() const { return live_; }
  bool grow();  // more room; false if the budget allows none

  // Lets a state go. The index still names it: call rebuild_index() before the next find().
  void release(std::size_t number);
  void rebuild_index();
  // Lets a state go, and the index knows. Takes time as finding it does, however many there are.
  void erase(std::size_t number);
  // The number of the state that was inserted last.
  std::size_t newest() const { return newest_; }
  // For good: only state() may be called from here on.
  void free_index() { std::vector<IndexBucket>().swap(index_); }

  // States by number, in use or not (kInUse): 0 .. states() - 1.
  std::size_t states() const { return used_; }
  CompactFlowState& state(std::size_t number) { return *place_of(number); }
  const CompactFlowState& state(std::size_t number) const { return *place_of(number); }
  void prefetch(std::size_t number) const {
    prefetch_all(state(number));
    if (has_annexes()) prefetch_all(annex_of(state(number)));
  }
  std::size_t bytes_a_state() const { return stride_; }

  // The annex of a state of this table: undefined until somebody sets it. REQUIRES: has_annexes().
  bool has_annexes() const { return stride_ != sizeof(CompactFlowState); }
  static Annex& annex_of(CompactFlowState& state) { return reinterpret_cast<StateWithAnnex&>(state).annex; }
  static const Annex& annex_of(const CompactFlowState& state) {
    return reinterpret_cast<const StateWithAnnex&>(state).annex;
  }

  void prefetch_index(std::uint64_t hash) const { warpmeter::prefetch(&index_[hash & mask_]); }
  // Follows the index, which should be in the cache by now. Returns what find() is likely to give. `whole`: what is
  // seldom touched will be wanted too.
  CompactFlowState* prefetch_state(std::uint64_t hash, bool whole) const;

 private:
  static constexpr std::size_t kSlab = 256;
  struct StateWithAnnex {
    CompactFlowState state;
    Annex annex;
  };

  CompactFlowState* place_of(std::size_t number) const {
    return reinterpret_cast<CompactFlowState*>(slabs_[number / kSlab] + number % kSlab * stride_);
  }
  // The state that the first of the `found` entries names.
  CompactFlowState* entered(const IndexBucket& bucket, std::uint32_t found) const {
    return place_of(bucket.number(static_cast<unsigned>(std::countr_zero(found))));
  }
  void enter(std::uint64_t hash, std::size_t number);
  void enter_all();
  void leave_index(std::size_t number);
  bool fill_gap(std::uint64_t& bucket);
  std::uint64_t home_of(std::size_t number) const;
  void set_index(std::size_t entries);

  const HashSeed hash_seed_;
  std::pmr::memory_resource& memory_;
  const std::size_t stride_;  // bytes from a state to the next
  std::size_t max_states_;
  std::size_t max_index_;  // entries
  std::vector<IndexBucket> index_;
  std::uint64_t mask_;
  std::vector<std::byte*> slabs_;
  std::size_t used_ = 0;  // states that were ever in use
  std::size_t live_ = 0;
  std::size_t newest_ = 0;
  std::size_t room_ = 0;    // live flows until the next grow()
  std::uint64_t free_ = 0;  // list of free states, linked by next_free: number + 1, 0 = end
};

inline CompactFlowState* FlowTable::prefetch_state(std::uint64_t hash, bool whole) const {
  const std::uint8_t tag = IndexBucket::tag_of(hash);
  for (std::uint64_t i = hash & mask_;; i = (i + 1) & mask_) {
    const IndexBucket& bucket = index_[i];
    if (const std::uint32_t found = bucket.with_tag(tag)) {
      CompactFlowState* const likely = entered(bucket, found);
      const char* line = reinterpret_cast<const char*>(likely);
      warpmeter::prefetch(line);
      warpmeter::prefetch(line + 64);
      if (whole) warpmeter::prefetch(line + 128);
      if (const std::uint32_t others = found & (found - 1)) warpmeter::prefetch(entered(bucket, others));
      return likely;
    }
    if (!bucket.is_full()) return nullptr;
  }
}

}  // namespace warpmeter::inline flow
