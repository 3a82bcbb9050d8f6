#include "flow/runs/biflows.h"

#include <utility>

#include "core/biflow_key.h"

namespace warpmeter::inline flow {
namespace {

bool begins_before(const FlowRecord& flow, const FlowRecord& other) {
  if (flow.first_ns != other.first_ns) return flow.first_ns < other.first_ns;
  return flow.arrival < other.arrival;
}

// That a direction began with a SYN+ACK is known of all parts of a connection, unlike which direction was first. Where
// it was not, its receiver was, and is the initiator by that.
bool is_initiator(const FlowRecord& flow, const FlowRecord& other) {
  const bool opened = flow.flags & kOpener, other_opened = other.flags & kOpener;
  if (opened != other_opened) return opened;
  const bool answered = flow.flags & kAnswerer, other_answered = other.flags & kAnswerer;
  if (answered != other_answered) return other_answered;
  if (answered) return begins_before(other, flow);
  const bool answers = is_icmp_answer(flow.key), other_answers = is_icmp_answer(other.key);
  if (answers != other_answers) return other_answers;
  return begins_before(flow, other);
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
  if (!annotations_.empty()) {
    if ((head_ = annotations_.next())) return;
    annotations_.clear();
  }
  if (!flows_->head()) return;
  forward_ = *flows_->head();
  head_ = &forward_;
  flows_->advance();
  annotations_.take_from(*flows_);
  if (!flows_->head() || !answers(forward_, *flows_->head())) return;
  backward_ = *flows_->head();
  flows_->advance();
  annotations_.take_from(*flows_);
  if (!annotations_.empty()) annotations_.give_to(forward_);
  if (is_initiator(backward_, forward_)) std::swap(forward_, backward_);
  reverse_ = &backward_;
}

}  // namespace warpmeter::inline flow
