#include "live/record_watch.h"

#include <algorithm>
#include <cstring>

namespace warpmeter {
namespace {

constexpr std::size_t kMostHosts = 4096;

}  // namespace

void RecordWatch::saw(const FlowRecord& record, std::int64_t now_ns) {
  records_.fetch_add(1, std::memory_order_relaxed);
  if (idle_ns_ > 0 && record.end_reason == EndReason::idle) count_latency(now_ns - record.end_ns - idle_ns_);
  if (with_talkers_) count_talker(record);
}

void RecordWatch::count_latency(std::int64_t latency_ns) {
  const double seconds = static_cast<double>(latency_ns) / 1e9;
  const auto bound = std::lower_bound(kLatencyBounds.begin(), kLatencyBounds.end(), seconds);
  latency_[static_cast<std::size_t>(bound - kLatencyBounds.begin())].fetch_add(1, std::memory_order_relaxed);
  latency_sum_ns_.fetch_add(latency_ns, std::memory_order_relaxed);
}

void RecordWatch::count_talker(const FlowRecord& record) {
  std::array<std::uint8_t, 17> host{record.key.version};
  std::memcpy(host.data() + 1, record.key.source, sizeof record.key.source);
  const std::lock_guard lock(mutex_);
  const auto known = sent_.find(host);
  if (known != sent_.end()) known->second += record.bytes;
  else if (sent_.size() < kMostHosts) sent_.emplace(host, record.bytes);
}

RecordCounts RecordWatch::counts() const {
  RecordCounts counts;
  counts.records = records_.load(std::memory_order_relaxed);
  counts.flushed = flushed_.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < latency_.size(); ++i) counts.latency[i] = latency_[i].load(std::memory_order_relaxed);
  counts.latency_sum = static_cast<double>(latency_sum_ns_.load(std::memory_order_relaxed)) / 1e9;
  return counts;
}

std::vector<RecordWatch::Talker> RecordWatch::top_talkers(std::size_t most) {
  std::vector<Talker> talkers;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [host, bytes] : sent_) {
      Talker& talker = talkers.emplace_back(Talker{{}, bytes});
      talker.key.version = host[0];
      std::memcpy(talker.key.source, host.data() + 1, sizeof talker.key.source);
    }
    sent_.clear();
  }
  most = std::min(most, talkers.size());
  const auto more = [](const Talker& a, const Talker& b) { return a.bytes > b.bytes; };
  std::partial_sort(talkers.begin(), talkers.begin() + static_cast<std::ptrdiff_t>(most), talkers.end(), more);
  talkers.resize(most);
  return talkers;
}

}  // namespace warpmeter
