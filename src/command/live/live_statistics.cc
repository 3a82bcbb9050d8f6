#include "command/live/live_statistics.h"

#include <unistd.h>

#include <algorithm>

namespace warpmeter::inline command {

ProcessStatistics statistics_of(const LiveState& state) {
  ProcessStatistics s;
  s.now_ns = state.now_ns;
  s.process_id = static_cast<std::uint32_t>(getpid());
  if (state.collector) {
    const ExportCounters& c = state.collector->counters;
    s.exported_messages = c.messages;
    s.exported_bytes = c.bytes;
    s.exported_records = c.records - std::min(c.records, c.lost_records);
    s.not_sent_flows = c.lost_records;
  }
  s.observed_flows = state.metering.ended_flows + state.metering.live_flows;
  for (const std::uint64_t count : state.metering.ignored) s.ignored_packets += count;
  s.ignored_bytes = state.metering.ignored_bytes;
  for (const RingCounts& ring : state.rings) {
    s.points.push_back({s.points.size() + 1, ring.point, ring.offered(), ring.lost_anywhere()});
  }
  for (const PointCounts& point : state.points) {
    s.points.push_back({s.points.size() + 1, point.point, point.lost, point.lost});
  }
  return s;
}

}  // namespace warpmeter::inline command
