// Sums, extremes, and the connection's values where they can only belong to one connection.
#include "aggregate_flows.h"

#include <algorithm>

namespace reference {
namespace {

constexpr int64_t Counters::*sums[] = {&Counters::packets,
                                       &Counters::bytes,
                                       &Counters::payload_bytes,
                                       &Counters::data_segments,
                                       &Counters::retransmitted_segments,
                                       &Counters::retransmitted_bytes,
                                       &Counters::duplicate_packets,
                                       &Counters::duplicate_bytes,
                                       &Counters::out_of_order_segments,
                                       &Counters::keep_alive_segments,
                                       &Counters::missing_bytes,
                                       &Counters::syn_count,
                                       &Counters::fin_count,
                                       &Counters::rst_count,
                                       &Counters::zero_window_count,
                                       &Counters::stray_segments};

// One group of flows with the same key, and what is needed to judge its connection.
struct Group {
  Flow total;
  int with_syn = 0;
  int with_fin = 0;
  int with_values = 0;

  void add(const Flow& flow) {
    for (auto sum : sums) total.counters.*sum += flow.counters.*sum;
    total.counters.tcp_flags |= flow.counters.tcp_flags;
    total.start = std::min(total.start, flow.start);
    total.end = std::max(total.end, flow.end);
    total.end_reason = flow.end_reason;
    with_syn += flow.counters.syn_count > 0;
    with_fin += flow.counters.fin_count > 0;
    with_values += flow.connection.has_value();
    if (flow.connection) total.connection = flow.connection;
  }

  Flow result() const {
    Flow flow = total;
    if (with_syn != 1 || with_fin != 1 || with_values != 1) flow.connection.reset();
    return flow;
  }
};

}  // namespace

std::vector<Flow> aggregate(const std::vector<Flow>& flows) {
  std::vector<Group> groups;
  for (const Flow& flow : flows) {
    if (groups.empty() || groups.back().total.key != flow.key) {
      Group group;
      group.total.key = flow.key;
      group.total.start = flow.start;
      group.total.end = flow.end;
      group.total.arrival = flow.arrival;
      groups.push_back(group);
    }
    groups.back().total.arrival = std::min(groups.back().total.arrival, flow.arrival);
    groups.back().add(flow);
  }
  std::vector<Flow> result;
  for (const Group& group : groups) result.push_back(group.result());
  return result;
}

}  // namespace reference
