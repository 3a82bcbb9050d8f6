#include "flow/meter/flow_table.h"

#include <algorithm>

#include "core/flow_hash.h"

namespace warpmeter::inline flow {
namespace {

constexpr std::size_t kFirstIndex = 1024;
constexpr std::size_t kFewestStates = 16;

// Live flows that an index of this size takes: linear probing stays short up to three quarters.
std::size_t load_limit(std::size_t index) { return index / 4 * 3; }

// How many states fit the budget beside an index of this size (and its predecessor, while it is rebuilt).
std::size_t states_beside(std::size_t index, std::uint64_t memory, std::size_t bytes_a_state) {
  const std::uint64_t index_bytes = index * sizeof(std::uint32_t) * 3 / 2;
  if (index_bytes >= memory) return 0;
  return std::min<std::size_t>({load_limit(index), (memory - index_bytes) / bytes_a_state, FlowTable::kMostStates});
}

}  // namespace

FlowTable::FlowTable(std::uint64_t memory, const HashSeed& hash_seed, std::pmr::memory_resource& slabs, bool annexes)
    : hash_seed_(hash_seed),
      memory_(slabs),
      stride_(annexes ? sizeof(StateWithAnnex) : sizeof(CompactFlowState)),
      max_index_(64) {
  const auto states = [&](std::size_t index) { return states_beside(index, memory, stride_); };
  while (states(max_index_ * 2) > states(max_index_)) max_index_ *= 2;
  max_states_ = std::max(kFewestStates, states(max_index_));
  set_index(std::min(kFirstIndex, max_index_));
}

FlowTable::~FlowTable() {
  for (std::byte* const slab : slabs_) memory_.deallocate(slab, kSlab * stride_, alignof(CompactFlowState));
}

// Empty.
void FlowTable::set_index(std::size_t entries) {
  index_.assign(entries / IndexBucket::kEntries, {});
  mask_ = index_.size() - 1;
  room_ = std::min(load_limit(entries), max_states_);
}

CompactFlowState* FlowTable::find(const FlowKey& key, std::uint64_t hash) {
  for (std::uint64_t i = hash & mask_;; i = (i + 1) & mask_) {
    const IndexBucket& bucket = index_[i];
    for (std::uint32_t left = bucket.with_tag(IndexBucket::tag_of(hash)); left; left &= left - 1) {
      CompactFlowState& found = state(bucket.number(std::countr_zero(left)));
      if (found.key == key) return &found;
    }
    if (!bucket.is_full()) return nullptr;
  }
}

CompactFlowState& FlowTable::insert(const FlowKey& key, std::uint64_t hash) {
  std::size_t number;
  if (free_) {
    number = free_ - 1;
    free_ = state(number).next_free;
  } else {
    number = used_++;
    if (number / kSlab == slabs_.size()) {
      void* slab = memory_.allocate(kSlab * stride_, alignof(CompactFlowState));
      slabs_.push_back(static_cast<std::byte*>(slab));  // a state is defined when it is inserted
    }
  }
  ++live_;
  newest_ = number;
  enter(hash, number);
  // Where flows have 3 packets, 8 % of a run.
  if (const std::size_t next = free_ ? free_ - 1 : used_; next / kSlab < slabs_.size()) prefetch(next);
  CompactFlowState& inserted = state(number);
  inserted.key = key;
  inserted.bits = kInUse;
  return inserted;
}

void FlowTable::enter(std::uint64_t hash, std::size_t number) {
  std::uint64_t i = hash & mask_;
  while (index_[i].is_full()) i = (i + 1) & mask_;
  index_[i].enter(IndexBucket::tag_of(hash), static_cast<std::uint32_t>(number));
}

bool FlowTable::grow() {
  const std::size_t entries = index_.size() * IndexBucket::kEntries;
  if (entries >= max_index_) return false;
  set_index(entries * 2);
  enter_all();
  return true;
}

void FlowTable::release(std::size_t number) {
  CompactFlowState& released = state(number);
  released.bits = 0;
  released.next_free = free_;
  free_ = number + 1;
  --live_;
}

void FlowTable::erase(std::size_t number) {
  leave_index(number);
  release(number);
}

// The bucket where the search for a state begins.
std::uint64_t FlowTable::home_of(std::size_t number) const {
  return hash_flow(state(number).key, hash_seed_).hash & mask_;
}

void FlowTable::leave_index(std::size_t number) {
  const std::uint64_t hash = hash_flow(state(number).key, hash_seed_).hash;
  for (std::uint64_t i = hash & mask_;; i = (i + 1) & mask_) {
    for (std::uint32_t left = index_[i].with_tag(IndexBucket::tag_of(hash)); left; left &= left - 1) {
      const auto at = static_cast<unsigned>(std::countr_zero(left));
      if (index_[i].number(at) != number) continue;
      const bool was_full = index_[i].is_full();
      index_[i].remove(at);
      while (was_full && fill_gap(i)) {
      }
      return;
    }
  }
}

// A bucket is no longer full that others went past, perhaps: nobody would look for them behind it any more. The first
// of them that may lie here comes back; the gap is then where that was. False: there is none, or nobody went past the
// gap.
bool FlowTable::fill_gap(std::uint64_t& bucket) {
  for (std::uint64_t behind = (bucket + 1) & mask_;; behind = (behind + 1) & mask_) {
    IndexBucket& other = index_[behind];
    for (unsigned at = 0; at < IndexBucket::kEntries && other.is_used(at); ++at) {
      const std::uint32_t number = other.number(at);
      if (((behind - home_of(number)) & mask_) < ((behind - bucket) & mask_)) continue;  // begins behind the gap
      const bool was_full = other.is_full();
      index_[bucket].enter(other.tag(at), number);
      other.remove(at);
      bucket = behind;
      return was_full;
    }
    if (!other.is_full() || behind == bucket) return false;
  }
}

void FlowTable::rebuild_index() {
  std::fill(index_.begin(), index_.end(), IndexBucket());
  enter_all();
}

void FlowTable::enter_all() {
  for (std::size_t number = 0; number < used_; ++number) {
    const CompactFlowState& live = state(number);
    if (live.bits & kInUse) enter(hash_flow(live.key, hash_seed_).hash, number);
  }
}

}  // namespace warpmeter::inline flow
