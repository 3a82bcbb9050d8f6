#include "flow/runs/live_run.h"

#include <algorithm>
#include <new>
#include <utility>

#include "core/biflow_key.h"
#include "flow/runs/prefix_sort.h"

namespace warpmeter::inline flow {
namespace {

constexpr std::size_t kPrefetchFlows = 8;  // 29 % of a run of 200,000 flows with 15 packets each

}  // namespace

LiveRun::LiveRun(std::vector<std::shared_ptr<const LiveFlows>> flows, RecordOrder order)
    : flows_(std::move(flows)), order_(order) {
  std::size_t count = 0;
  for (const auto& some : flows_) count += some->size();
  places_.reserve(count);
  for (std::uint32_t i = 0; i < flows_.size(); ++i) {
    const std::size_t numbers = flows_[i]->numbers();
    for (std::uint32_t number = 0; number < numbers; ++number) {
      if (number + kPrefetchFlows < numbers) flows_[i]->prefetch(number + kPrefetchFlows);
      const FlowKey* key = flows_[i]->key_of(number);
      if (key) places_.push_back({prefix_of(group_key(order, *key)), i, number});
    }
  }
  const auto next = [this](Place& place, int depth) {
    const FlowKey& key = key_of(place);
    if (depth >= prefixes_in(key)) return false;
    place.prefix = further_prefix(group_key(order_, key), depth);
    return true;
  };
  sort_by_prefix(places_, next, [this](const Place& a, const Place& b) { return before(a, b); });
}

// REQUIRES: a common prefix.
bool LiveRun::before(const Place& a, const Place& b) const {
  const FlowKey key = group_key(order_, key_of(a)), other = group_key(order_, key_of(b));
  const int by_key = compare(key, other);
  return by_key ? by_key < 0 : order_(partial_of(a), partial_of(b)) < 0;
}

LiveRunCursor::LiveRunCursor(std::shared_ptr<const LiveRun> run, std::uint64_t begin, std::uint64_t end)
    : run_(std::move(run)), at_(begin), end_(end) {
  for (std::uint64_t i = begin; i < std::min(end, begin + kPrefetchFlows); ++i) run_->prefetch(i);
  show();
}

void LiveRunCursor::advance() {
  ++at_;
  show();
}

void LiveRunCursor::show() {
  if (at_ + kPrefetchFlows < end_) run_->prefetch(at_ + kPrefetchFlows);
  head_ = nullptr;
  if (at_ == end_) return;
  head_ = new (&current_) Partial(run_->at(at_));  // made in its place, not copied there
}

}  // namespace warpmeter::inline flow
