#include "flow/meter/segment_table.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline flow {
namespace {

constexpr std::size_t kFirstSize = 64;

// Linear probing stays short up to here.
bool is_full(std::size_t used, std::size_t size) { return used >= size / 4 * 3; }

}  // namespace

BlockSegments::BlockSegments(const HashSeed& seed) : seed_(seed), index_(kFirstSize), entries_(kFirstSize) {}

void BlockSegments::clear() {
  keys_.clear();
  std::fill(index_.begin(), index_.end(), 0);
  std::fill(entries_.begin(), entries_.end(), Entry{});
  used_ = 0;
}

std::uint32_t BlockSegments::find_key(const FlowKey& key, std::uint64_t hash) const {
  for (std::size_t i = hash & (index_.size() - 1);; i = (i + 1) & (index_.size() - 1)) {
    const std::uint32_t number = index_[i];
    if (number == 0 || (keys_[number - 1].hash == hash && keys_[number - 1].key == key)) return number;
  }
}

std::uint32_t BlockSegments::enter_key(const FlowKey& key, std::uint64_t hash) {
  if (is_full(keys_.size(), index_.size())) grow_index();
  std::size_t i = hash & (index_.size() - 1);
  while (index_[i]) i = (i + 1) & (index_.size() - 1);
  keys_.push_back({key, hash});
  return index_[i] = static_cast<std::uint32_t>(keys_.size());
}

void BlockSegments::grow_index() {
  index_.assign(index_.size() * 2, 0);
  for (std::size_t number = 0; number < keys_.size(); ++number) {
    std::size_t i = keys_[number].hash & (index_.size() - 1);
    while (index_[i]) i = (i + 1) & (index_.size() - 1);
    index_[i] = static_cast<std::uint32_t>(number + 1);
  }
}

std::size_t BlockSegments::place_of(std::uint64_t hash, std::uint32_t sequence) const {
  return segment_hash(hash, sequence, seed_) & (entries_.size() - 1);
}

void BlockSegments::grow_entries() {
  std::vector<Entry> old(entries_.size() * 2);
  old.swap(entries_);
  for (const Entry& entry : old) {
    if (entry.key == 0) continue;
    std::size_t i = place_of(keys_[entry.key - 1].hash, entry.sequence);
    while (entries_[i].key) i = (i + 1) & (entries_.size() - 1);
    entries_[i] = entry;
  }
}

std::int64_t* BlockSegments::find(const FlowKey& key, std::uint64_t hash, std::uint32_t sequence) {
  const std::uint32_t number = find_key(key, hash);
  if (number == 0) return nullptr;
  for (std::size_t i = place_of(hash, sequence);; i = (i + 1) & (entries_.size() - 1)) {
    Entry& entry = entries_[i];
    if (entry.key == 0) return nullptr;
    if (entry.key == number && entry.sequence == sequence) return &entry.latest_ns;
  }
}

void BlockSegments::enter(const FlowKey& key, std::uint64_t hash, std::uint32_t sequence, std::int64_t time_ns) {
  if (is_full(used_, entries_.size())) grow_entries();
  std::uint32_t number = find_key(key, hash);
  if (number == 0) number = enter_key(key, hash);
  std::size_t i = place_of(hash, sequence);
  while (entries_[i].key) i = (i + 1) & (entries_.size() - 1);
  entries_[i] = {number, sequence, time_ns};
  ++used_;
}

void SegmentTable::turn_to(std::uint64_t block) {
  if (block == block_) return;
  std::swap(current_, previous_);
  if (block != block_ + 1) previous_.clear();  // whole blocks without a packet of this shard
  current_.clear();
  block_ = block;
}

bool SegmentTable::within_gap(std::int64_t time_ns, std::int64_t original_ns) const {
  return options_.gap_ns == 0 || time_ns - original_ns <= options_.gap_ns;
}

bool SegmentTable::is_retransmitted(const FlowKey& key, std::uint64_t hash, const Segment& segment,
                                    std::uint64_t number) {
  turn_to(block_of(number, options_.block));
  const std::int64_t* before = previous_.find(key, hash, segment.sequence);
  bool retransmitted = before && within_gap(segment.time_ns, *before);
  if (std::int64_t* latest = current_.find(key, hash, segment.sequence)) {
    retransmitted = retransmitted || within_gap(segment.time_ns, *latest);
    *latest = std::max(*latest, segment.time_ns);
  } else {
    current_.enter(key, hash, segment.sequence, segment.time_ns);
  }
  return retransmitted;
}

}  // namespace warpmeter::inline flow
