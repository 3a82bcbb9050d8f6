// Several sequences of flows as one. Of flows that are alike, those of the sequence named first come first.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "command/merge/flow_cursor.h"
#include "command/merge/merge_order.h"

namespace warpmeter::inline command {

class MergedFlows : public FlowCursor {
 public:
  MergedFlows(std::vector<std::unique_ptr<FlowCursor>> flows, const MergeOrder& order);
  void advance() override;

 private:
  bool is_later(std::size_t a, std::size_t b) const;

  const std::vector<std::unique_ptr<FlowCursor>> flows_;
  const MergeOrder order_;
  std::vector<std::size_t> heap_;  // of those that have not ended: the first is next
};

}  // namespace warpmeter::inline command
