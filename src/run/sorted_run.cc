#include "run/sorted_run.h"

#include <algorithm>
#include <utility>

#include "warpmeter/biflow_key.h"
#include "warpmeter/byte_order.h"

namespace warpmeter {
namespace {

constexpr std::size_t kPrefetchPlaces = 8;

}  // namespace

SortedRun::SortedRun(std::vector<PartialChunk> chunks, RecordOrder order) : chunks_(std::move(chunks)) {
  std::size_t count = 0;
  for (const PartialChunk& chunk : chunks_) count += chunk.size();
  places_.reserve(count);
  for (const PartialChunk& chunk : chunks_) {
    for (const FlowRecord& partial : chunk) {
      const FlowKey key = group_key(order, partial);
      places_.push_back({{byte_swap(key_word(key, 0)), byte_swap(key_word(key, 1))}, &partial});
    }
  }
  std::sort(places_.begin(), places_.end(), [order](const Place& a, const Place& b) { return before(a, b, order); });
  head_ = places_.empty() ? nullptr : places_.front().partial;
}

bool SortedRun::before(const Place& a, const Place& b, RecordOrder order) {
  if (a.prefix[0] != b.prefix[0]) return a.prefix[0] < b.prefix[0];
  if (a.prefix[1] != b.prefix[1]) return a.prefix[1] < b.prefix[1];
  return order(*a.partial, *b.partial) < 0;
}

void SortedRun::advance() {
  ++at_;
  if (at_ + kPrefetchPlaces < places_.size()) {
    const char* ahead = reinterpret_cast<const char*>(places_[at_ + kPrefetchPlaces].partial);
    for (std::size_t line = 0; line < sizeof(FlowRecord); line += 64) __builtin_prefetch(ahead + line);
  }
  head_ = at_ < places_.size() ? places_[at_].partial : nullptr;
}

}  // namespace warpmeter
