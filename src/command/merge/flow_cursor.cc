#include "command/merge/flow_cursor.h"

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

namespace {

// In the order of their numbers, as those that wait for their interval are (interval_order).
Partial numbered(const FlowRecord& record, std::uint64_t number, std::uint8_t part) {
  Partial partial = whole(record);
  partial.interval_ns = 0;
  partial.arrival = number;
  partial.part = part;
  return partial;
}

}  // namespace

std::shared_ptr<const RunFile> write_run(FlowCursor& flows, const std::string& folder) {
  RunWriter writer(folder, interval_order);
  std::uint64_t number = 0;
  for (; flows.head(); flows.advance()) {
    const Biflow& flow = *flows.head();
    writer.write(numbered(flow.forward, ++number, 0));
    if (flow.has_reverse) writer.write(numbered(flow.reverse, ++number, kReverse));
  }
  return std::make_shared<const RunFile>(writer.finish());
}

RunFlows::RunFlows(std::shared_ptr<const RunFile> file) : reader_(file, 0, file->size()) { advance(); }

void RunFlows::advance() {
  head_ = nullptr;
  if (!reader_.head()) return;
  flow_ = {};
  flow_.forward = *reader_.head();
  reader_.advance();
  if (reader_.head() && (reader_.head()->part & kReverse)) {
    flow_.reverse = *reader_.head();
    flow_.has_reverse = true;
    reader_.advance();
  }
  head_ = &flow_;
}

}  // namespace warpmeter::inline command
