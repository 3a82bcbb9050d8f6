#include "command/memory/connection_table.h"

#include <algorithm>
#include <memory>

#include "core/flow_hash.h"

namespace warpmeter::inline command {

// The highest range joins the others for a while: it is the last of them before and after.
std::uint64_t SeenBytes::see_elsewhere(std::int64_t first, std::int64_t end, SeenTotals& totals) {
  totals.memory -= memory();
  if (!lower_) lower_ = std::make_unique<Ranges>();
  Ranges& ranges = *lower_;
  if (first_ < end_) ranges.push_back({first_, end_});
  auto touched = std::ranges::lower_bound(ranges, first, {}, &Range::end);
  const auto begin = touched;
  std::int64_t fresh = end - first;
  Range joined{first, end};
  for (; touched != ranges.end() && touched->first <= end; ++touched) {
    fresh -= std::max<std::int64_t>(0, std::min(end, touched->end) - std::max(first, touched->first));
    joined = {std::min(joined.first, touched->first), std::max(joined.end, touched->end)};
  }
  if (begin == touched) {
    ranges.insert(begin, joined);
  } else {
    *begin = joined;
    ranges.erase(begin + 1, touched);
  }
  if (ranges.size() > kMostRanges) totals.joined += join_lower_half();
  const std::int64_t highest = std::max(end_, ranges.back().end);
  if (highest == ranges.back().end) {
    first_ = ranges.back().first;
    end_ = highest;
    ranges.pop_back();
  } else {
    first_ = end_;  // nothing was seen since the SYN, and what came lies below it
  }
  totals.memory += memory();
  return static_cast<std::uint64_t>(fresh);
}

void SeenBytes::join(SeenTotals& totals) {
  if (!lower_ || lower_->empty()) return;
  first_ = lower_->front().first;
  totals.joined += lower_->size();
  let_go(totals);
}

std::uint64_t SeenBytes::join_lower_half() {
  constexpr std::size_t kHalf = kMostRanges / 2;
  Ranges& ranges = *lower_;
  ranges.front().end = ranges[kHalf].end;
  ranges.erase(ranges.begin() + 1, ranges.begin() + kHalf + 1);
  return kHalf;
}

namespace {

constexpr std::size_t kSmallestIndex = 1024;

}  // namespace

ConnectionTable::ConnectionTable(const HashSeed& hash_seed) : hash_seed_(hash_seed) { index_all(kSmallestIndex); }

std::uint32_t ConnectionTable::insert(const FlowKey& ends, std::uint64_t hash) {
  if (2 * (size_ + 1) > index_.size()) index_all(2 * index_.size());
  std::uint32_t number = used_;
  if (!free_.empty()) {
    number = free_.back();
    free_.pop_back();
  } else {
    if (number / kSlab == slabs_.size()) slabs_.push_back(std::make_unique<ConnectionState[]>(kSlab));
    ++used_;
  }
  ConnectionState& state = (*this)[number];
  state.ends = ends;
  state.in_use = true;
  enter(number, hash);
  ++size_;
  return number;
}

std::size_t ConnectionTable::memory() const {
  return index_.size() * sizeof(Entry) + slabs_.size() * kSlab * sizeof(ConnectionState) +
         free_.capacity() * sizeof free_.front();
}

std::size_t ConnectionTable::memory_for_another() const {
  std::size_t bytes = 0;
  if (2 * (size_ + 1) > index_.size()) bytes += 2 * index_.size() * sizeof(Entry);  // beside the one that is there
  if (free_.empty() && used_ / kSlab == slabs_.size()) bytes += kSlab * sizeof(ConnectionState);
  return bytes;
}

void ConnectionTable::let_go(std::uint32_t number) {
  (*this)[number] = ConnectionState();
  free_.push_back(number);
  --size_;
}

void ConnectionTable::enter(std::uint32_t number, std::uint64_t hash) {
  std::size_t i = hash & mask_;
  while (index_[i].number != kNone) i = (i + 1) & mask_;
  index_[i] = {tag_of(hash), number};
}

void ConnectionTable::index_all(std::size_t entries) {
  index_.assign(entries, {0, kNone});
  mask_ = entries - 1;
  for (std::uint32_t number = 0; number < used_; ++number) {
    const ConnectionState& state = (*this)[number];
    if (state.in_use) enter(number, hash_flow(state.ends, hash_seed_).hash);
  }
}

}  // namespace warpmeter::inline command
