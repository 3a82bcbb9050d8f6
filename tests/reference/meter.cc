// Where flows start and end, and what is counted in them.
#include "meter.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace reference {

int64_t Meter::take(const Packet& packet, int64_t number, int64_t time) {
  const bool duplicate = duplicates_.is_duplicate(packet, number, time);
  latest_time_ = std::max(latest_time_, time);
  Open& open = flow_of(packet, number, time, duplicate);
  Flow& flow = open.flow;
  flow.counters.packets += 1;
  flow.counters.bytes += packet.length;
  if (duplicate) {
    flow.counters.duplicate_packets += 1;
    flow.counters.duplicate_bytes += packet.length;
  } else if (packet.tcp) {
    count_segment(open, *packet.tcp, number, time);
  }
  flow.start = std::min(flow.start, time);
  flow.end = std::max(flow.end, time);
  return flow.serial;
}

std::optional<EndReason> Meter::cut(const Open& open, const Packet& packet, int64_t time, bool duplicate) const {
  const Flow& flow = open.flow;
  if (options_.idle_timeout != 0 && time - flow.end > options_.idle_timeout) return EndReason::idle;
  const bool is_syn = packet.tcp && packet.tcp->syn() && !packet.tcp->rst();
  if (is_syn && !duplicate && open.tcp.kind_of(*packet.tcp, time < flow.start) == SynKind::foreign) {
    return EndReason::end_of_flow;
  }
  if (options_.active_timeout != 0 && time - flow.start >= options_.active_timeout) return EndReason::active;
  return {};
}

Meter::Open& Meter::flow_of(const Packet& packet, int64_t number, int64_t time, bool duplicate) {
  Open fresh;
  fresh.flow.key = packet.key;
  fresh.flow.start = fresh.flow.end = time;
  fresh.flow.arrival = number;
  fresh.flow.serial = begun_;
  const auto [place, is_new] = open_.try_emplace(packet.key, fresh);
  Open& open = place->second;
  begun_ += is_new;
  if (is_new) return open;
  const auto reason = cut(open, packet, time, duplicate);
  if (!reason) return open;
  close(open, *reason);
  // Flows of a key that begin in one frame, as an 802.11 A-MSDU brings several packets, have different numbers.
  fresh.flow.arrival = std::max(number, open.flow.arrival + 1);
  if (*reason == EndReason::active) fresh.tcp = std::move(open.tcp);
  begun_ += 1;
  open = std::move(fresh);
  return open;
}

void Meter::count_segment(Open& open, const TcpSegment& segment, int64_t number, int64_t time) {
  Counters& counters = open.flow.counters;
  counters.tcp_flags |= segment.flags;
  counters.syn_count += segment.syn();
  counters.fin_count += segment.fin();
  counters.rst_count += segment.rst();
  const Verdict verdict = open.tcp.take(segment, time, time < open.flow.start);
  if (segment.rst()) return;
  counters.zero_window_count += segment.window == 0;
  counters.data_segments += segment.payload > 0;
  counters.payload_bytes += segment.payload;
  open.first_fin_here |= verdict.first_fin;
  count_again(open.flow, segment, verdict, number, time);
}

// What the method decides; all else is the same under both.
void Meter::count_again(Flow& flow, const TcpSegment& segment, const Verdict& verdict, int64_t number, int64_t time) {
  Counters& counters = flow.counters;
  if (options_.method == Method::exact) {
    counters.retransmitted_segments += verdict.bytes_again > 0;
    counters.retransmitted_bytes += verdict.bytes_again;
    counters.out_of_order_segments += verdict.out_of_order;
    counters.keep_alive_segments += verdict.keep_alive;
    counters.stray_segments += verdict.stray;
  } else if (segment.payload > 0 && five_tuples_.is_retransmitted(flow.key, segment.sequence, number, time)) {
    counters.retransmitted_segments += 1;
    counters.retransmitted_bytes += segment.payload;
  }
}

void Meter::close(Open& open, EndReason reason) {
  const bool ran_out = reason == EndReason::idle || reason == EndReason::forced;
  open.flow.end_reason = ran_out && open.tcp.closing() ? EndReason::end_of_flow : reason;
  if (reason != EndReason::active) open.flow.counters.missing_bytes = open.tcp.missing_bytes();
  if (open.first_fin_here) open.flow.connection = open.tcp.connection();
  closed_.push_back(open.flow);
}

std::vector<Flow> Meter::finish() {
  for (auto& [key, open] : open_) {
    const bool idle = options_.idle_timeout != 0 && latest_time_ - open.flow.end > options_.idle_timeout;
    close(open, idle ? EndReason::idle : EndReason::forced);
  }
  open_.clear();
  // Stable: flows of a key that began with packets of one frame have closed in their order.
  std::stable_sort(closed_.begin(), closed_.end(), [](const Flow& a, const Flow& b) {
    return std::tie(a.key, a.start, a.end, a.arrival) < std::tie(b.key, b.start, b.end, b.arrival);
  });
  return std::exchange(closed_, {});
}

}  // namespace reference
