#include "command/merge/merged_flows.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline command {

MergedFlows::MergedFlows(std::vector<std::unique_ptr<FlowCursor>> flows, const MergeOrder& order)
    : flows_(std::move(flows)), order_(order) {
  for (std::size_t i = 0; i < flows_.size(); ++i) {
    if (flows_[i]->head()) heap_.push_back(i);
  }
  std::make_heap(heap_.begin(), heap_.end(), [this](std::size_t a, std::size_t b) { return is_later(a, b); });
  head_ = heap_.empty() ? nullptr : flows_[heap_.front()]->head();
}

bool MergedFlows::is_later(std::size_t a, std::size_t b) const {
  const int order = order_(*flows_[a]->head(), *flows_[b]->head());
  return order ? order > 0 : a > b;
}

void MergedFlows::advance() {
  const auto later = [this](std::size_t a, std::size_t b) { return is_later(a, b); };
  std::pop_heap(heap_.begin(), heap_.end(), later);
  FlowCursor& taken = *flows_[heap_.back()];
  taken.advance();
  if (taken.head()) std::push_heap(heap_.begin(), heap_.end(), later);
  else heap_.pop_back();
  head_ = heap_.empty() ? nullptr : flows_[heap_.front()]->head();
}

}  // namespace warpmeter::inline command
