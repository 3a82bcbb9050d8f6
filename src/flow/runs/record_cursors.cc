#include "flow/runs/record_cursors.h"

#include <algorithm>
#include <cstdint>
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

// connection_bytes and connection_ns stay only if it is clear which connection they are of.
class ConnectionRule {
 public:
  void add(const FlowRecord& flow) {
    with_syn_ += flow.syn_count > 0;
    with_fin_ += flow.fin_count > 0;
    if (flow.flags & kHasConnection) {
      ++valued_;
      bytes_ = flow.connection_bytes;
      ns_ = flow.connection_ns;
    }
  }
  void apply(FlowRecord& sum) const {
    const bool clear = with_syn_ == 1 && with_fin_ == 1 && valued_ == 1;
    sum.connection_bytes = clear ? bytes_ : 0;
    sum.connection_ns = clear ? ns_ : 0;
    sum.flags = static_cast<std::uint8_t>(clear ? sum.flags | kHasConnection : sum.flags & ~kHasConnection);
  }

 private:
  std::uint64_t with_syn_ = 0, with_fin_ = 0, valued_ = 0;
  std::int64_t bytes_ = 0, ns_ = 0;
};

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
  const std::size_t of_first = annotations_.size();
  annotations_.take_from(*flows_);
  const bool turned = is_initiator(backward_, forward_);
  if (!annotations_.empty()) {
    annotations_.turn_annexes(turned ? 0 : of_first, turned ? of_first : annotations_.size());
    annotations_.give_to(forward_);
  }
  if (turned) std::swap(forward_, backward_);
  reverse_ = &backward_;
}

Aggregate::Aggregate(std::unique_ptr<RecordCursor> flows) : flows_(std::move(flows)) { advance(); }

void Aggregate::advance() {
  if (!annotations_.empty()) {
    if ((head_ = annotations_.next())) return;
    annotations_.clear();
  }
  if (!flows_->head()) {
    head_ = nullptr;
    return;
  }
  ConnectionRule connection;
  sum_ = *flows_->head();
  connection.add(sum_);
  for (flows_->advance(); flows_->head() && flows_->head()->key == sum_.key; flows_->advance()) {
    const FlowRecord& flow = *flows_->head();
    if (is_annotation(flow)) {
      annotations_.add(flow);
      if (!goes_on(flow)) annotations_.bound();
      continue;
    }
    connection.add(flow);
    add_saturated(sum_, flow);
    sum_.flags |= flow.flags & kOpener;
    sum_.arrival = std::min(sum_.arrival, flow.arrival);  // where time runs back, the earliest did not come first
    sum_.absent |= flow.absent;                           // what one part does not know, the whole does not know
    sum_.end_reason = flow.end_reason;                    // of the last in output order
  }
  connection.apply(sum_);
  if (!annotations_.empty()) annotations_.give_to(sum_);
  head_ = &sum_;
}

}  // namespace warpmeter::inline flow
