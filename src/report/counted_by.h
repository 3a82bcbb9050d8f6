// Sums by a key (a host, a pair of hosts, a port) in bounded memory.
//
// Exact up to `most_keys`. Beyond that the keys with the fewest packets so far, half of all, go into others(): what
// they counted is not lost, but they are forgotten by name, and one that comes back starts from 0. Which ones does not
// depend on the order inside a hash table, so that equal input gives an equal page.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/counts.h"
#include "warpmeter/seeded_hash.h"

namespace warpmeter {

// `Key` is a std::array of bytes.
template <class Key>
class CountedBy {
 public:
  using Entry = std::pair<Key, Counts>;

  explicit CountedBy(std::size_t most_keys) : most_keys_(most_keys) {}

  void add(const Key& key, const Counts& counts) {
    map_[key].add(counts);
    if (map_.size() > most_keys_) forget_smallest();
  }

  // The `n` first for which `eligible(counts)`, largest `rank(counts)` first; where that is equal, those with more
  // packets, then the smaller key.
  template <class Eligible, class Rank>
  std::vector<Entry> top(std::size_t n, Eligible eligible, Rank rank) const {
    std::vector<Entry> entries;
    for (const auto& [key, counts] : map_) {
      if (eligible(counts)) entries.emplace_back(key, counts);
    }
    const auto before = [&](const Entry& a, const Entry& b) {
      const auto of_a = rank(a.second), of_b = rank(b.second);
      return of_a != of_b ? of_a > of_b : more_packets(a, b);
    };
    n = std::min(n, entries.size());
    std::partial_sort(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(n), entries.end(), before);
    entries.resize(n);
    return entries;
  }

  std::size_t size() const { return map_.size(); }
  std::size_t most_keys() const { return most_keys_; }
  bool forgot() const { return others_.flows > 0; }
  const Counts& others() const { return others_; }

 private:
  static bool more_packets(const Entry& a, const Entry& b) {
    return a.second.packets != b.second.packets ? a.second.packets > b.second.packets : a.first < b.first;
  }

  void forget_smallest() {
    std::vector<Entry> entries(map_.begin(), map_.end());
    const auto kept = entries.begin() + static_cast<std::ptrdiff_t>((most_keys_ + 1) / 2);
    std::nth_element(entries.begin(), kept, entries.end(), more_packets);
    for (auto entry = kept; entry != entries.end(); ++entry) {
      others_.add(entry->second);
      map_.erase(entry->first);
    }
  }

  const std::size_t most_keys_;
  std::unordered_map<Key, Counts, SeededHash> map_;
  Counts others_;
};

}  // namespace warpmeter
