#include "flow/runs/aggregate.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace warpmeter::inline flow {
namespace {

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
