#include "flow/meter/duplicate_filter.h"

#include <cstddef>
#include <utility>

namespace warpmeter::inline flow {
namespace {

constexpr std::size_t kFirstRing = 32;
constexpr std::size_t kChainsPerEntry = 8;  // so that most packets find theirs empty

}  // namespace

DuplicateFilter::DuplicateFilter(const DuplicateOptions& options, const HashSeed& seed, std::uint32_t first_place)
    : options_(options),
      seed_(seed),
      ring_(kFirstRing),
      latest_(kFirstRing * kChainsPerEntry),
      ring_mask_(kFirstRing - 1),
      latest_mask_(kFirstRing * kChainsPerEntry - 1),
      next_(first_place) {}

// The packet that this one is a copy of; null: none.
const DuplicateFilter::Entry* DuplicateFilter::repeated(const FlowKey& key, const Segment& segment, Hash hash,
                                                        std::uint64_t number) const {
  const Entry* earlier = latest_like(key, segment, hash, number);
  return earlier && within_duplicate_gap(earlier->segment, segment, options_) ? earlier : nullptr;
}

// The latest packet of the window with this identity: only it counts. A place that is older than places can count may
// look like another; but ages must rise along a chain, and who is compared is compared whole.
const DuplicateFilter::Entry* DuplicateFilter::latest_like(const FlowKey& key, const Segment& segment, Hash hash,
                                                           std::uint64_t number) const {
  std::uint32_t newer = 0;
  for (std::uint32_t age = age_of(latest_[chain_of(hash)]); age > newer && age <= ring_.size();) {
    const Entry& earlier = ring_[(next_ - age) & ring_mask_];
    if (!in_window(earlier, number)) break;
    if (earlier.hash == hash && same_packet(earlier.segment, segment) && earlier.key == key) return &earlier;
    newer = age;
    age = age_of(earlier.previous);
  }
  return nullptr;
}

void DuplicateFilter::grow() {
  const std::vector<Entry> old = std::move(ring_);
  const std::uint32_t old_mask = ring_mask_;
  ring_ = std::vector<Entry>(old.size() * 2);
  ring_mask_ = static_cast<std::uint32_t>(ring_.size() - 1);
  latest_.assign(ring_.size() * kChainsPerEntry, 0);
  latest_mask_ = static_cast<std::uint32_t>(latest_.size() - 1);
  next_ -= static_cast<Place>(old.size());
  for (std::size_t i = 0; i < old.size(); ++i) {  // all within the window
    const Entry& moved = old[next_ & old_mask];
    append(moved.key, moved.segment, moved.hash, moved.number);
  }
}

}  // namespace warpmeter::inline flow
