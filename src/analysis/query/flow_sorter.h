// Flows in memory, to be given back sorted: all of them, or those that come first.
//
// Where a sort key does not decide, output order does (output_order), so that the result depends on the flows alone.
// Memory: about 260 bytes a flow kept, as much again for a reverse direction. One thread.
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
  // Without an order, that of the output; `most` = 0 keeps all. `arrival` of the flows must be different.
  explicit FlowSorter(std::optional<SortOrder> order, std::size_t most = 0) : order_(order), most_(most) {}

  void add(const Biflow& flow);

  // Once, after the last add().
  void for_each_sorted(const std::function<void(const Biflow&)>& take);

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  struct Entry {
    SortKey key;
    std::uint32_t forward = 0;
    std::uint32_t reverse = kNone;  // a place in reverse_
    bool has_reverse = false;       // it is in use
  };
  bool before(const SortKey& key, const FlowRecord& record, const Entry& other) const;
  bool before(const Entry& a, const Entry& b) const { return before(a.key, forward_[a.forward], b); }
  void store(const Biflow& flow, Entry& entry);

  const std::optional<SortOrder> order_;
  const std::size_t most_;
  std::vector<Entry> entries_;  // with `most`, a heap with the last one in front
  std::deque<FlowRecord> forward_, reverse_;
};

}  // namespace warpmeter::inline analysis
