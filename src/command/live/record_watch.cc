#include "command/live/record_watch.h"

#include <algorithm>

namespace warpmeter::inline command {

void RecordWatch::saw(const FlowRecord& record, std::int64_t now_ns) {
  records_.fetch_add(1, std::memory_order_relaxed);
#define WARPMETER_ADD(name, ...) name##_.fetch_add(record.name, std::memory_order_relaxed);
  WARPMETER_FLOW_COUNTERS(WARPMETER_ADD)
#undef WARPMETER_ADD
  if (idle_ns_ > 0 && record.end_reason == EndReason::idle) count_latency(now_ns - record.end_ns - idle_ns_);
  if (!sent_) return;
  const std::lock_guard lock(mutex_);
  sent_->add(record.key, record.bytes);
}

void RecordWatch::count_latency(std::int64_t latency_ns) {
  const double seconds = static_cast<double>(latency_ns) / 1e9;
  const auto bound = std::lower_bound(kLatencyBounds.begin(), kLatencyBounds.end(), seconds);
  latency_[static_cast<std::size_t>(bound - kLatencyBounds.begin())].fetch_add(1, std::memory_order_relaxed);
  latency_sum_ns_.fetch_add(latency_ns, std::memory_order_relaxed);
}

RecordCounts RecordWatch::counts() const {
  RecordCounts counts;
  counts.records = records_.load(std::memory_order_relaxed);
  counts.flushed = flushed_.load(std::memory_order_relaxed);
  counts.labels_cut = labels_cut_.load(std::memory_order_relaxed);
#define WARPMETER_TOTAL(name, ...) counts.totals.name = name##_.load(std::memory_order_relaxed);
  WARPMETER_FLOW_COUNTERS(WARPMETER_TOTAL)
#undef WARPMETER_TOTAL
  counts.totals.absent = absent_;
  for (std::size_t i = 0; i < latency_.size(); ++i) counts.latency[i] = latency_[i].load(std::memory_order_relaxed);
  counts.latency_sum = static_cast<double>(latency_sum_ns_.load(std::memory_order_relaxed)) / 1e9;
  return counts;
}

std::vector<TopHost> RecordWatch::top_talkers(std::size_t most) {
  const std::lock_guard lock(mutex_);
  return sent_ ? sent_->take(most) : std::vector<TopHost>();
}

}  // namespace warpmeter::inline command
