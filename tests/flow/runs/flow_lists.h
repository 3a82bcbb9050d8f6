// Flows in the order of outputs, as lists, for tests of what merges them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "flow/runs/flow_cursor.h"
#include "support/flow_key_maker.h"
#include "support/random_flows.h"

namespace warpmeter::test {

// One packet, by a number of its own.
inline Biflow merged_flow(std::uint32_t key, std::int64_t start, std::int64_t end, std::uint64_t number = 0) {
  Biflow flow;
  flow.forward.key = numbered_key(key);
  flow.forward.start_ns = start;
  flow.forward.end_ns = end;
  flow.forward.packets = 1;
  flow.forward.bytes = number;
  return flow;
}

inline void sort_for_merge(std::vector<Biflow>& flows, const MergeOrder& order) {
  std::stable_sort(flows.begin(), flows.end(), [&](const Biflow& a, const Biflow& b) { return order(a, b) < 0; });
}

inline std::vector<Biflow> random_merge_flows(std::size_t count, std::uint64_t seed,
                                              const RandomFlowOptions& options = {}) {
  RandomFlows random(seed, options);
  std::vector<Biflow> flows;
  while (flows.size() < count) {
    flows.push_back(random.next());
    for (FlowRecord* record : {&flows.back().forward, &flows.back().reverse}) {
      record->absent &= ~not_counted_by(Method::five_tuple);  // or it looks as if that was the method
    }
  }
  sort_for_merge(flows, MergeOrder(options.biflow));
  return flows;
}

class FlowList : public FlowCursor {
 public:
  explicit FlowList(std::vector<Biflow> flows) : flows_(std::move(flows)) { show(); }
  void advance() override {
    ++at_;
    show();
  }

 private:
  void show() { head_ = at_ < flows_.size() ? &flows_[at_] : nullptr; }
  const std::vector<Biflow> flows_;
  std::size_t at_ = 0;
};

inline std::vector<Biflow> all_flows_of(FlowCursor& cursor) {
  std::vector<Biflow> flows;
  for (; cursor.head(); cursor.advance()) flows.push_back(*cursor.head());
  return flows;
}

// Their numbers.
inline std::vector<std::uint64_t> numbers_of(const std::vector<Biflow>& flows) {
  std::vector<std::uint64_t> numbers;
  for (const Biflow& flow : flows) numbers.push_back(flow.forward.bytes);
  return numbers;
}

}  // namespace warpmeter::test
