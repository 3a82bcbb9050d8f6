#include "flow/runs/sorted_runs.h"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <utility>

#include "core/biflow_key.h"
#include "core/prefetch.h"
#include "flow/runs/annotation_parts.h"
#include "flow/runs/prefix_sort.h"
#include "flow/runs/waiting_record.h"

namespace warpmeter::inline flow {
namespace {

constexpr std::size_t kPrefetchPlaces = 8;
constexpr std::size_t kPrefetchFlows = 8;  // 29 % of a run of 200,000 flows with 15 packets each

// Of each range, so that ranges come out about as large.
constexpr std::uint64_t kSamples = 16;

bool lesser(const FlowKey& a, const FlowKey& b) { return compare(a, b) < 0; }

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

const Annex& LiveFlows::annex_of(std::size_t) const { throw std::logic_error("these flows have no annexes"); }

LiveRun::LiveRun(std::vector<std::shared_ptr<const LiveFlows>> flows, RecordOrder order)
    : flows_(std::move(flows)), have_annexes_(!flows_.empty() && flows_.front()->have_annexes()), order_(order) {
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
  if (run_->have_annexes() && !std::exchange(shows_annex_, !shows_annex_)) [[unlikely]] {
    current_ = annex_part(current_, run_->annex_at(at_), current_.arrival);
    return;
  }
  ++at_;
  show();
}

void LiveRunCursor::show() {
  if (at_ + kPrefetchFlows < end_) run_->prefetch(at_ + kPrefetchFlows);
  head_ = nullptr;
  if (at_ == end_) return;
  head_ = new (&current_) Partial(run_->at(at_));  // made in its place, not copied there
}

// Cutting a merge into ranges.
//
// A merge through a heap is work for one thread: each partial depends on the one before. But nothing that is done to
// Flow Records looks beyond their key. So the keys are cut into ranges of about as many partials; each range is
// merged, joined and encoded by one thread, and the results follow one another.
//
// Where to cut is found by samples. All runs are sorted, so that every step-th partial of a run stands for the `step`
// around it. The samples of all runs, sorted, say where the partials of all runs lie; every sixteenth of them begins a
// range. Sizes are then off by a few steps in a run, which does not matter: ranges are many, and a thread that is done
// takes the next.
//
// A key is never cut: a range begins with a key and ends before one. A key that has more partials than a range stays
// in one, however large. Under --biflow both directions of a conversation belong together, and the key by which is cut
// is that of both (group_key()).
//
// Where a range begins and ends within each run is found by binary search when it is read. In a file that takes some
// twenty reads, which is why ranges must not be too small (pipeline/run/metering_run.cc).
//
// None of this shows in the output: however the keys are cut, the same partials meet in the same order.

SortedRuns::SortedRuns(std::vector<std::shared_ptr<const SortedRun>> in_memory,
                       std::vector<std::shared_ptr<const LiveRun>> live,
                       std::vector<std::shared_ptr<const RunFile>> files, RecordOrder order)
    : in_memory_(std::move(in_memory)), live_(std::move(live)), files_(std::move(files)), order_(order) {}

std::uint64_t SortedRuns::size() const {
  std::uint64_t sum = 0;
  for (const auto& run : in_memory_) sum += run->size();
  for (const auto& run : live_) sum += run->size();
  for (const auto& file : files_) sum += file->size();
  return sum;
}

template <class Run>
void SortedRuns::sample(const Run& run, std::uint64_t step, std::vector<FlowKey>& keys) const {
  for (std::uint64_t i = step / 2; i < run.size(); i += step) keys.push_back(group_key(order_, run.at(i).key));
}

std::vector<KeyRange> SortedRuns::cut(std::size_t most) const {
  if (order_ == interval_order) return {KeyRange()};
  const std::uint64_t step = std::max<std::uint64_t>(size() / (kSamples * std::max<std::size_t>(most, 1)), 1);
  std::vector<FlowKey> keys;
  for (const auto& run : in_memory_) sample(*run, step, keys);
  for (const auto& run : live_) sample(*run, step, keys);
  for (const auto& file : files_) sample(*file, step, keys);
  std::sort(keys.begin(), keys.end(), lesser);
  std::vector<KeyRange> ranges(1);
  for (std::size_t i = kSamples; i < keys.size() && ranges.size() < most; i += kSamples) {
    if (ranges.back().first && !lesser(*ranges.back().first, keys[i])) continue;  // a key with very many
    ranges.back().end = keys[i];
    ranges.push_back({keys[i], std::nullopt});
  }
  return ranges;
}

template <class Run>
std::uint64_t SortedRuns::first_not_before(const Run& run, const std::optional<FlowKey>& key,
                                           std::uint64_t otherwise) const {
  if (!key) return otherwise;
  std::uint64_t begin = 0, end = run.size();
  while (begin < end) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    if (lesser(group_key(order_, run.at(middle).key), *key)) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

std::unique_ptr<PartialCursor> SortedRuns::in(const KeyRange& range) const {
  std::vector<std::unique_ptr<PartialCursor>> cursors;
  const auto add = [&]<class Cursor>(std::type_identity<Cursor>, const auto& run) {
    const std::uint64_t begin = first_not_before(*run, range.first, 0);
    const std::uint64_t end = first_not_before(*run, range.end, run->size());
    if (begin < end) cursors.push_back(std::make_unique<Cursor>(run, begin, end));
  };
  for (const auto& run : in_memory_) add(std::type_identity<SortedRunCursor>(), run);
  for (const auto& run : live_) add(std::type_identity<LiveRunCursor>(), run);
  for (const auto& file : files_) add(std::type_identity<RunReader>(), file);
  return std::make_unique<RunMerger>(std::move(cursors), order_);
}

}  // namespace warpmeter::inline flow
