#include "flow/runs/sorted_run.h"

#include <utility>

#include "core/biflow_key.h"
#include "core/prefetch.h"
#include "flow/runs/prefix_sort.h"

namespace warpmeter::inline flow {
namespace {

constexpr std::size_t kPrefetchPlaces = 8;

}  // namespace

SortedRun::SortedRun(std::vector<PartialChunk> chunks, RecordOrder order) : chunks_(std::move(chunks)) {
  std::size_t count = 0;
  for (const PartialChunk& chunk : chunks_) count += chunk.size();
  places_.reserve(count);
  for (const PartialChunk& chunk : chunks_) {
    for (const Partial& partial : chunk) places_.push_back({prefix_in(order, partial), &partial});
  }
  const auto next = [order](Place& place, int depth) {
    if (order == interval_order) return false;
    const int of_key = prefixes_in(place.partial->key);
    if (depth == of_key) return prefix_within_key(order, *place.partial, place.prefix);
    if (depth > of_key) return false;
    place.prefix = further_prefix(group_key(order, place.partial->key), depth);
    return true;
  };
  sort_by_prefix(places_, next, [order](const Place& a, const Place& b) { return order(*a.partial, *b.partial) < 0; });
}

SortedRunCursor::SortedRunCursor(std::shared_ptr<const SortedRun> run, std::uint64_t begin, std::uint64_t end)
    : run_(std::move(run)), at_(begin), end_(end) {
  show();
}

void SortedRunCursor::advance() {
  ++at_;
  show();
}

void SortedRunCursor::show() {
  if (at_ + kPrefetchPlaces < end_) prefetch_all(run_->at(at_ + kPrefetchPlaces));
  head_ = at_ < end_ ? &run_->at(at_) : nullptr;
}

}  // namespace warpmeter::inline flow
