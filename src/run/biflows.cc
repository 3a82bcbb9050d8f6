#include "run/biflows.h"

#include <utility>

#include "core/biflow_key.h"

namespace warpmeter {
namespace {

bool is_initiator(const FlowRecord& flow, const FlowRecord& other) {
  const int opened = flow.flags & kOpener, other_opened = other.flags & kOpener;
  if (opened != other_opened) return opened != 0;
  if (flow.first_ns != other.first_ns) return flow.first_ns < other.first_ns;
  return flow.arrival < other.arrival;
}

}  // namespace

Biflows::Biflows(std::unique_ptr<RecordCursor> flows, std::int64_t longest_gap_ns)
    : flows_(std::move(flows)), longest_gap_ns_(longest_gap_ns) {
  advance();
}

bool Biflows::answers(const FlowRecord& first, const FlowRecord& next) const {
  if (next.key == first.key || !(next.key == reversed(first.key))) return false;
  // Unsigned: times may lie further apart than a signed number holds.
  return longest_gap_ns_ == 0 || next.start_ns <= first.end_ns ||
         static_cast<std::uint64_t>(next.start_ns) - static_cast<std::uint64_t>(first.end_ns) <=
             static_cast<std::uint64_t>(longest_gap_ns_);
}

void Biflows::advance() {
  head_ = reverse_ = nullptr;
  if (!flows_->head()) return;
  forward_ = *flows_->head();
  head_ = &forward_;
  flows_->advance();
  if (!flows_->head() || !answers(forward_, *flows_->head())) return;
  backward_ = *flows_->head();
  flows_->advance();
  if (is_initiator(backward_, forward_)) std::swap(forward_, backward_);
  reverse_ = &backward_;
}

}  // namespace warpmeter
