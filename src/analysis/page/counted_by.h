// Sums by a key (a host, a pair of hosts, a port, a label) in bounded memory.
//
// Exact up to `most_keys`. With one more, half of all go into others(): what they counted is not lost, but they are
// forgotten by name, and one that comes back starts from 0. The lists of the page are by several ranks (counts.h), so
// "the smallest" are those that none of them puts first: of the places, each rank fills a part (kPartOfRank), and those
// with most packets the rest. What holds: a key that is among the first most_keys / 16 by a rank whenever keys are
// forgotten keeps its name and its numbers. So does, of what is counted (all ranks but that by share), each key that by
// then has more than 16 / most_keys of all. Of any other the numbers may be those since it was last forgotten: too low,
// and its share that of this time alone.
//
// Which keys are forgotten does not depend on the order inside a hash table, so that equal input gives an equal page.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/page/counts.h"
#include "core/seeded_hash.h"

namespace warpmeter::inline analysis {

// `Key` is a std::array of bytes or a text, `Sums` Counts or what has them as its base.
template <class Key, class Sums = Counts>
class CountedBy {
 public:
  using Entry = std::pair<Key, Sums>;
  using Stored = std::pair<const Key, Sums>;

  explicit CountedBy(std::size_t most_keys) : most_keys_(most_keys) {}

  void add(const Key& key, const Sums& counts) {
    add(key, counts, [](Sums&) {});
  }

  // `then` is called with what the key has now. True: afterwards keys were forgotten.
  template <class Then>
  bool add(const Key& key, const Sums& counts, Then then) {
    Sums& sums = map_[key];
    sums.add(counts);
    then(sums);
    if (map_.size() <= most_keys_) return false;
    forget_smallest();
    return true;
  }

  // `look(key, sums)` of each, in no order.
  template <class Look>
  void for_each(Look look) const {
    for (const auto& [key, sums] : map_) look(key, sums);
  }

  // The `n` first for which `eligible(counts)`, largest `rank(counts)` first; where that is equal, those with more
  // packets, then the smaller key.
  template <class Eligible, class Rank>
  std::vector<Entry> top(std::size_t n, Eligible eligible, Rank rank) const {
    std::vector<const Stored*> all;
    for (const Stored& entry : map_) {
      if (eligible(entry.second)) all.push_back(&entry);
    }
    const auto before = [&](const Stored* a, const Stored* b) {
      const auto of_a = rank(a->second), of_b = rank(b->second);
      return of_a != of_b ? of_a > of_b : more_packets(*a, *b);
    };
    n = std::min(n, all.size());
    if (n == all.size()) std::sort(all.begin(), all.end(), before);
    else std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n), all.end(), before);
    std::vector<Entry> entries;
    entries.reserve(n);
    for (std::size_t i = 0; i < n; ++i) entries.emplace_back(all[i]->first, all[i]->second);
    return entries;
  }

  template <class Eligible>
  std::size_t count(Eligible eligible) const {
    return static_cast<std::size_t>(std::ranges::count_if(map_, [&](const auto& e) { return eligible(e.second); }));
  }

  std::size_t size() const { return map_.size(); }
  std::size_t most_keys() const { return most_keys_; }
  bool forgot() const { return others_.flows > 0; }
  const Sums& others() const { return others_; }

 private:
  using Map = std::unordered_map<Key, Sums, SeededHash>;
  struct Ranked {
    double rank;
    bool kept;
    typename Map::iterator entry;
  };

  template <class Pair>
  static bool more_packets(const Pair& a, const Pair& b) {
    return a.second.packets != b.second.packets ? a.second.packets > b.second.packets : a.first < b.first;
  }

  static constexpr std::size_t kPartOfRank = 8;  // of the places that are kept

  void forget_smallest() {
    const std::size_t places = (most_keys_ + 1) / 2;
    std::vector<Ranked> entries;
    entries.reserve(map_.size());
    for (auto entry = map_.begin(); entry != map_.end(); ++entry) entries.push_back({0, false, entry});
    for (const auto rank : kRanks) {
      for (Ranked& e : entries) e.rank = rank(e.entry->second);
      keep_first(entries, places / kPartOfRank, [](const Ranked& e) { return e.rank > 0; });
    }
    const auto is_kept = [](const Ranked& e) { return e.kept; };
    const auto kept = static_cast<std::size_t>(std::ranges::count_if(entries, is_kept));
    for (Ranked& e : entries) e.rank = e.kept ? -1 : 0;
    keep_first(entries, places - kept, [](const Ranked& e) { return !e.kept; });
    for (const Ranked& e : entries) {
      if (e.kept) continue;
      others_.add(e.entry->second);
      map_.erase(e.entry);
    }
  }

  // The `n` first by rank of those that may be.
  template <class MayBe>
  static void keep_first(std::vector<Ranked>& entries, std::size_t n, MayBe may_be) {
    n = std::min(n, entries.size());
    const auto end = entries.begin() + static_cast<std::ptrdiff_t>(n);
    std::nth_element(entries.begin(), end, entries.end(), [](const Ranked& a, const Ranked& b) {
      return a.rank != b.rank ? a.rank > b.rank : more_packets(*a.entry, *b.entry);
    });
    for (auto e = entries.begin(); e != end; ++e) e->kept = e->kept || may_be(*e);
  }

  const std::size_t most_keys_;
  Map map_;
  Sums others_;
};

}  // namespace warpmeter::inline analysis
