#include "analysis/query/flow_sorter.h"

#include <algorithm>

namespace warpmeter::inline analysis {

bool FlowSorter::before(const Entry& entry, const FlowRecord& record, const Annotations& noted,
                        const Entry& other) const {
  if (const auto order = entry.key <=> other.key; order != 0) return order < 0;
  if (order_ && order_->by_text()) {
    if (const int order = order_->compare_texts(noted, noted_of(other))) return order < 0;
  }
  const FlowRecord& behind = forward_[other.forward];
  if (const int order = compare(record.key, behind.key)) return order < 0;
  if (record.start_ns != behind.start_ns) return record.start_ns < behind.start_ns;
  if (record.end_ns != behind.end_ns) return record.end_ns < behind.end_ns;
  return entry.number < other.number;
}

void FlowSorter::store(const Biflow& flow, const Annotations& noted, Entry& entry) {
  forward_[entry.forward] = flow.forward;
  if (entry.noted == kNone && !noted.empty()) {
    entry.noted = static_cast<std::uint32_t>(noted_.size());
    noted_.emplace_back();
  }
  if (entry.noted != kNone) noted_[entry.noted] = noted;
  entry.has_reverse = flow.has_reverse;
  if (!flow.has_reverse) return;
  if (entry.reverse == kNone) {
    entry.reverse = static_cast<std::uint32_t>(reverse_.size());
    reverse_.emplace_back();
  }
  reverse_[entry.reverse] = flow.reverse;
}

void FlowSorter::add(const Biflow& flow, const Annotations& noted) {
  const auto heap_order = [this](const Entry& a, const Entry& b) { return before(a, b); };
  Entry entry;
  const SortKey key = order_ ? order_->key(flow, noted) : SortKey{};
  const std::uint64_t number = ++added_;
  if (most_ && entries_.size() == most_) {
    if (!before({.key = key, .number = number}, flow.forward, noted, entries_.front())) return;
    std::pop_heap(entries_.begin(), entries_.end(), heap_order);
    entry = entries_.back();  // its places are used again
    entries_.pop_back();
  } else {
    entry.forward = static_cast<std::uint32_t>(forward_.size());
    forward_.emplace_back();
  }
  entry.key = key;
  entry.number = number;
  store(flow, noted, entry);
  entries_.push_back(entry);
  if (most_) std::push_heap(entries_.begin(), entries_.end(), heap_order);
}

void FlowSorter::for_each_sorted(const Take& take) {
  std::sort(entries_.begin(), entries_.end(), [this](const Entry& a, const Entry& b) { return before(a, b); });
  Biflow flow;
  for (const Entry& entry : entries_) {
    flow.forward = forward_[entry.forward];
    flow.has_reverse = entry.has_reverse;
    if (entry.has_reverse) flow.reverse = reverse_[entry.reverse];
    take(flow, noted_of(entry));
  }
}

}  // namespace warpmeter::inline analysis
