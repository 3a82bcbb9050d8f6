#include "command/live/live_state.h"

#include <unistd.h>

#include <algorithm>

namespace warpmeter::inline command {

std::uint64_t LiveState::lost() const {
  std::uint64_t lost = 0;
  for (const RingCounts& ring : rings) lost += ring.lost_anywhere();
  for (const PointCounts& point : points) lost += point.lost;
  return lost;
}

std::uint64_t LiveState::offered() const {
  std::uint64_t offered = 0;
  for (const RingCounts& ring : rings) offered += ring.offered();
  for (const PointCounts& point : points) offered += point.lost;
  return offered;
}

LiveState LiveParts::state() const {
  using namespace std::chrono;
  LiveState state;
  state.now_ns = nanoseconds(system_clock::now().time_since_epoch()).count();
  state.up_seconds = duration<double>(steady_clock::now() - start).count();
  state.metering = work.metering().running();  // before the rings: what was metered had been received
  state.bytes_read = work.bytes_read();
  state.rings = source.ring_counts();
  for (const RingCounts& ring : state.rings) {
    state.metering.ignored[static_cast<int>(Ignored::filtered_out)] += ring.filtered;
  }
  state.points = source.point_counts();
  state.records_leave = records_leave;
  state.records = records.counts();
  state.outputs = output.losses();
  state.collector = output.collector_state();
  if (streams) state.streams = streams->counts();
  if (reload) {
    state.policy = work.metering().running_policy();
    state.policy_reloads = reload->counts();
    if (control) state.policy_changes = control->counts();
    state.metering.metered -= std::min(state.metering.metered, state.policy->dropped);
  }
  state.most_rounds = rounds ? rounds->most() : most_rounds;
  state.sample_one_in = sampling ? sampling->one_in() : sample_one_in;
  return state;
}

std::vector<TopHost> LiveParts::top_talkers(std::size_t most, double seconds) const {
  if (talkers) return talkers->top(most);
  std::vector<TopHost> hosts = records.top_talkers(most);
  for (TopHost& host : hosts) host.bytes = static_cast<std::uint64_t>(static_cast<double>(host.bytes) / seconds);
  return hosts;
}

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
