#include "meter/duplicate_filter.h"

#include "warpmeter/identity.h"

namespace warpmeter {
namespace {

constexpr std::size_t kFirstRing = 32;
constexpr std::size_t kBucketsPerEntry = 2;

}  // namespace

DuplicateFilter::DuplicateFilter(const DuplicateOptions& options)
    : options_(options), ring_(kFirstRing), latest_(kFirstRing * kBucketsPerEntry), ring_mask_(kFirstRing - 1) {}

bool DuplicateFilter::is_duplicate(const FlowKey& key, std::uint64_t flow_hash, const Segment& segment,
                                   std::uint64_t number) {
  if (!(segment.kind & kHasIdentity)) return false;
  forget_before_window(number);
  const std::uint64_t hash = identity_hash(flow_hash, segment);
  bool duplicate = false;
  for (std::uint64_t place = latest_[hash & (latest_.size() - 1)]; in_window(place);) {
    const Entry& earlier = ring_[place & ring_mask_];
    if (earlier.hash == hash && same_packet(earlier.segment, segment) && earlier.key == key) {
      duplicate = within_duplicate_gap(earlier.segment, segment, options_);
      break;  // only the latest of its identity counts
    }
    place = earlier.previous;
  }
  Entry& entry = append(hash);
  entry.key = key;
  entry.segment = segment;
  entry.number = number;
  return duplicate;
}

void DuplicateFilter::forget_before_window(std::uint64_t number) {
  while (oldest_ < next_ && number - ring_[oldest_ & ring_mask_].number > options_.window) ++oldest_;
}

// At the end of the ring and of its chain; all but hash and chain is to be filled in.
DuplicateFilter::Entry& DuplicateFilter::append(std::uint64_t hash) {
  if (next_ - oldest_ == ring_.size()) grow();
  std::uint64_t& latest = latest_[hash & (latest_.size() - 1)];
  Entry& entry = ring_[next_ & ring_mask_];
  entry.hash = hash;
  entry.previous = latest;
  latest = next_++;
  return entry;
}

void DuplicateFilter::grow() {
  std::vector<Entry> old(ring_.size() * 2);
  old.swap(ring_);
  latest_.assign(ring_.size() * kBucketsPerEntry, 0);
  const std::uint64_t old_mask = ring_mask_, end = next_;
  ring_mask_ = ring_.size() - 1;
  for (next_ = oldest_; next_ < end;) {
    const Entry& moved = old[next_ & old_mask];
    Entry& entry = append(moved.hash);
    entry.key = moved.key;
    entry.segment = moved.segment;
    entry.number = moved.number;
  }
}

}  // namespace warpmeter
