#include "command/memory/seen_bytes.h"

#include <algorithm>
#include <memory>

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

}  // namespace warpmeter::inline command
