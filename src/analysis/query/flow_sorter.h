// Flows in memory, to be given back sorted: all of them, or those that come first.
//
// Where a sort key does not decide, output order does, and at last the order in which they were added: numbers of first
// packets are those of a trace, and flows may come from several.
// Memory: about 260 bytes a flow kept, as much again for a reverse direction, and
// what is noted of it. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/query/sort_order.h"
#include "core/record_reader.h"

namespace warpmeter::inline analysis {

class FlowSorter {
 public:
  // Without an order, that of the output; `most` = 0 keeps all.
  explicit FlowSorter(std::optional<SortOrder> order, std::size_t most = 0) : order_(order), most_(most) {}

  void add(const Biflow& flow, const Annotations& noted = kNoAnnotations);

  // Once, after the last add().
  using Take = std::function<void(const Biflow&, const Annotations&)>;
  void for_each_sorted(const Take& take);

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Entry {
    SortKey key;
    std::uint64_t number = 0;  // in the order of add()
    std::uint32_t forward = 0;
    std::uint32_t reverse = kNone;  // a place in reverse_
    std::uint32_t noted = kNone;    // in noted_
    bool has_reverse = false;       // it is in use
  };
  bool before(const Entry& entry, const FlowRecord& record, const Annotations& noted, const Entry& other) const;
  bool before(const Entry& a, const Entry& b) const { return before(a, forward_[a.forward], noted_of(a), b); }
  const Annotations& noted_of(const Entry& entry) const {
    return entry.noted == kNone ? kNoAnnotations : noted_[entry.noted];
  }
  void store(const Biflow& flow, const Annotations& noted, Entry& entry);

  const std::optional<SortOrder> order_;
  const std::size_t most_;
  std::uint64_t added_ = 0;
  std::vector<Entry> entries_;  // with `most`, a heap with the last one in front
  std::deque<FlowRecord> forward_, reverse_;
  std::deque<Annotations> noted_;  // of flows that have some
};

}  // namespace warpmeter::inline analysis
