// The heap of a merge of many sorted sequences into one: an entry for each sequence that has not ended, ordered by the
// heads of the sequences, the one with the least head first. Taking the head of the first and moving on costs a way
// down the heap, of which most merges go the first step alone.
//
// Threads: one at a time.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace warpmeter::inline base {

// `Before`: whether the head of one entry comes before that of another. Two that are alike have no order: a merge that
// has to keep that of its sequences compares their numbers, too.
template <class Entry, class Before>
class MergeHeap {
 public:
  explicit MergeHeap(Before before = {}) : before_(std::move(before)) {}

  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  // The first is at 0. Behind it, those at 1 and 2 come before all others.
  Entry& operator[](std::size_t at) { return entries_[at]; }
  const Entry& operator[](std::size_t at) const { return entries_[at]; }
  Entry& first() { return entries_.front(); }
  const Entry& first() const { return entries_.front(); }

  void add(Entry entry) {
    std::size_t at = entries_.size();
    entries_.push_back(std::move(entry));
    for (; at > 0 && before_(entries_[at], entries_[(at - 1) / 2]); at = (at - 1) / 2) {
      std::swap(entries_[at], entries_[(at - 1) / 2]);
    }
  }

  // The sequence of the first has moved on, or another entry stands in its place.
  void first_changed() {
    if (entries_.size() < 2 || !before_(entries_[least_child(0)], entries_[0])) return;
    Entry sinking = std::move(entries_[0]);
    std::size_t at = 0;
    for (std::size_t child = least_child(0); child < entries_.size(); child = least_child(at)) {
      if (!before_(entries_[child], sinking)) break;
      entries_[at] = std::move(entries_[child]);
      at = child;
    }
    entries_[at] = std::move(sinking);
  }

  // The sequence of the first has ended.
  void drop_first() {
    drop(0);
    first_changed();
  }
  // The same for one of two. REQUIRES: first_changed() follows.
  void drop(std::size_t at) {
    if (at + 1 < entries_.size()) entries_[at] = std::move(entries_.back());
    entries_.pop_back();
  }

 private:
  // At or beyond the size: there is none.
  std::size_t least_child(std::size_t at) const {
    const std::size_t child = 2 * at + 1;
    return child + 1 < entries_.size() && before_(entries_[child + 1], entries_[child]) ? child + 1 : child;
  }

  Before before_;
  std::vector<Entry> entries_;
};

}  // namespace warpmeter::inline base
