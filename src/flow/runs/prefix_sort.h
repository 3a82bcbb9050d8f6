// Sorts places of partials by their keys, of which each has the prefix beside it.
#pragma once

#include <pdqsort.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/biflow_key.h"
#include "core/byte_order.h"
#include "flow/runs/waiting_record.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline flow {

// The beginning of a Flow Key as a number of 128 bits that compares as the key does: nearly all comparisons of a sort
// or a merge end here, without a look at the record. Of IPv4 it holds the whole key, its unused address bytes left out;
// of IPv6 the source address but for its last bit, for which the version needs the room. The rest of an IPv6 key makes
// two numbers more, for keys of which very many begin alike.
struct KeyPrefix {
  std::uint64_t high = 0, low = 0;

  bool operator==(const KeyPrefix&) const = default;
  // As one number of 128 bits: a sort cannot foretell whether the higher halves differ.
  bool operator<(const KeyPrefix& other) const { return whole() < other.whole(); }

 private:
  unsigned __int128 whole() const { return static_cast<unsigned __int128>(high) << 64 | low; }
};

inline KeyPrefix prefix_of(const FlowKey& key) {
  if (key.version != 4) {
    const std::uint64_t high = byte_swap(load<std::uint64_t>(key.source));
    const std::uint64_t low = byte_swap(load<std::uint64_t>(key.source + sizeof high));
    return {std::uint64_t{1} << 63 | high >> 1, high << 63 | low >> 1};
  }
  const std::uint64_t source = load_be32(key.source), destination = load_be32(key.destination);
  return {std::uint64_t{key.version} << 56 | source << 24 | destination >> 8,
          destination << 56 | std::uint64_t{port_number(key.source_port)} << 40 |
              std::uint64_t{port_number(key.destination_port)} << 24 | std::uint64_t{key.protocol} << 16 |
              port_number(key.vlan)};
}

// How many numbers make up a key.
inline int prefixes_in(const FlowKey& key) { return key.version != 4 ? 3 : 1; }

// Number `depth` of an IPv6 key, from 1. REQUIRES: depth < prefixes_in(key). Those before it are alike in all keys that
// are compared by it.
inline KeyPrefix further_prefix(const FlowKey& key, int depth) {
  const std::uint64_t last = key.destination[15] & 1;
  if (depth == 2) {
    return {last, std::uint64_t{port_number(key.source_port)} << 40 |
                      std::uint64_t{port_number(key.destination_port)} << 24 | std::uint64_t{key.protocol} << 16 |
                      port_number(key.vlan)};
  }
  const std::uint64_t high = byte_swap(load<std::uint64_t>(key.destination));
  const std::uint64_t low = byte_swap(load<std::uint64_t>(key.destination + sizeof high));
  return {std::uint64_t{key.source[15]} << 63 | high >> 1, high << 63 | low >> 1};
}

// More places than these get the next prefix where one does not tell them apart; so few are compared as they are.
inline constexpr std::ptrdiff_t kFewAlike = 4;

// A time as a number without sign, in the same order.
inline std::uint64_t time_prefix(std::int64_t time) {
  return static_cast<std::uint64_t>(time) ^ std::uint64_t{1} << 63;
}

// What compares partials of an order first: the beginning of the key under which they lie together; of interval_order
// all that there is.
inline KeyPrefix prefix_in(RecordOrder order, const Partial& partial) {
  if (order == interval_order) return {time_prefix(interval_of(partial)), place_in_wait(partial)};
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
