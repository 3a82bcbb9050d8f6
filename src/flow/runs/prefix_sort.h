// Sorts places of partials by their keys, of which each has the prefix beside it.
#pragma once

#include <pdqsort.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/biflow_key.h"
#include "flow/runs/key_prefix.h"
#include "flow/runs/waiting_record.h"

namespace warpmeter::inline flow {

// More places than these get the next prefix where one does not tell them apart; so few are compared as they are.
inline constexpr std::ptrdiff_t kFewAlike = 4;

// A time as a number without sign, in the same order.
inline std::uint64_t time_prefix(std::int64_t time) {
  return static_cast<std::uint64_t>(time) ^ std::uint64_t{1} << 63;
}

// What compares partials of an order first: the beginning of the key under which they lie together; of interval_order
// all that there is.
inline KeyPrefix prefix_in(RecordOrder order, const Partial& partial) {
  if (order == interval_order) return {time_prefix(interval_of(partial)), partial.arrival};
  return prefix_of(group_key(order, partial.key));
}

// The prefix that compares records of one key, or of one undirected key if the order is of those; false if the order
// has none. Records may still be alike in it.
inline bool prefix_within_key(RecordOrder order, const FlowRecord& record, KeyPrefix& prefix) {
  if (order == output_order || order == biflow_output_order) {
    prefix = {time_prefix(record.start_ns), time_prefix(record.end_ns)};
  } else if (order == arrival_order) {
    prefix = {0, record.arrival};
  } else if (order == biflow_arrival_order) {
    prefix = {!(record.key == undirected(record.key)), record.arrival};
  } else {
    return false;
  }
  return true;
}

// By `prefix`, then each group of those that are alike in it by what `next` gives them as the prefix of the next depth,
// if it returns true, or by `before`.
template <class Iterator, class Next, class Before>
void sort_by_prefixes(Iterator first, Iterator last, int depth, const Next& next, const Before& before) {
  pdqsort_branchless(first, last, [](const auto& a, const auto& b) { return a.prefix < b.prefix; });
  for (auto begin = first; begin != last;) {
    auto end = begin + 1;
    while (end != last && end->prefix == begin->prefix) ++end;
    if (end - begin > kFewAlike && next(*begin, depth + 1)) {
      std::for_each(begin + 1, end, [&](auto& place) { next(place, depth + 1); });
      sort_by_prefixes(begin, end, depth + 1, next, before);
    } else if (end - begin > 1) {
      std::sort(begin, end, before);
    }
    begin = end;
  }
}

// By `Place::prefix`, which is that of the key; those that have it in common, by `before`. In steps, so that the first,
// which does nearly all of the work, has a comparison of a few instructions and a sort that does not branch on it. Nor
// have many keys that begin alike, or many flows of one key, a comparison of whole records for each step of a sort:
// `next(place, depth)` gives a place the prefix of the next depth, from 1. It returns false, for all places that are
// alike so far, if there is none. Prefixes are not kept.
template <class Place, class Next, class Before>
void sort_by_prefix(std::vector<Place>& places, const Next& next, const Before& before) {
  sort_by_prefixes(places.begin(), places.end(), 0, next, before);
}

}  // namespace warpmeter::inline flow
