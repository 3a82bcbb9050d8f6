#include "meter/duplicate_filter.h"

#include "warpmeter/identity.h"

namespace warpmeter {
namespace {

constexpr std::size_t kFirstRing = 32;
constexpr std::size_t kChainsPerEntry = 8;  // so that most packets find theirs empty

}  // namespace

DuplicateFilter::DuplicateFilter(const DuplicateOptions& options, std::uint32_t first_place)
    : options_(options),
      ring_(kFirstRing),
      latest_(kFirstRing * kChainsPerEntry),
      ring_mask_(kFirstRing - 1),
      latest_mask_(kFirstRing * kChainsPerEntry - 1),
      next_(first_place) {}

bool DuplicateFilter::is_duplicate(const FlowKey& key, std::uint64_t flow_hash, const Segment& segment,
                                   std::uint64_t number) {
  if (!(segment.kind & kHasIdentity)) return false;
  const auto hash = static_cast<std::uint32_t>(identity_hash(flow_hash, segment));
  const Entry* earlier = latest_like(key, segment, hash, number);
  const bool duplicate = earlier && within_duplicate_gap(earlier->segment, segment, options_);
  append(key, segment, hash, number);
  return duplicate;
}

// The latest packet of the window with this identity: only it counts. A place that is older than places can count may
// look like another; but ages must rise along a chain, and who is compared is compared whole.
const DuplicateFilter::Entry* DuplicateFilter::latest_like(const FlowKey& key, const Segment& segment,
                                                           std::uint32_t hash, std::uint64_t number) const {
  std::uint32_t newer = 0;
  for (std::uint32_t age = next_ - latest_[hash & latest_mask_]; age > newer && age <= held_;) {
    const Entry& earlier = ring_[(next_ - age) & ring_mask_];
    if (!in_window(earlier, number)) break;
    if (earlier.hash == hash && same_packet(earlier.segment, segment) && earlier.key == key) return &earlier;
    newer = age;
    age = next_ - earlier.previous;
  }
  return nullptr;
}

void DuplicateFilter::append(const FlowKey& key, const Segment& segment, std::uint32_t hash, std::uint64_t number) {
  if (held_ == ring_.size() && in_window(ring_[next_ & ring_mask_], number)) grow();
  if (held_ < ring_.size()) ++held_;
  Place& latest = latest_[hash & latest_mask_];
  Entry& entry = ring_[next_ & ring_mask_];
  entry.key = key;
  entry.segment = segment;
  entry.number = number;
  entry.hash = hash;
  entry.previous = latest;
  latest = next_++;
}

void DuplicateFilter::grow() {
  const std::vector<Entry> old = std::move(ring_);
  const std::uint32_t old_mask = ring_mask_;
  const Place end = next_;
  ring_.resize(old.size() * 2);
  ring_mask_ = static_cast<std::uint32_t>(ring_.size() - 1);
  latest_.assign(ring_.size() * kChainsPerEntry, 0);
  latest_mask_ = static_cast<std::uint32_t>(latest_.size() - 1);
  next_ -= held_;
  held_ = 0;
  while (next_ != end) {
    const Entry& moved = old[next_ & old_mask];
    append(moved.key, moved.segment, moved.hash, moved.number);
  }
}

}  // namespace warpmeter
