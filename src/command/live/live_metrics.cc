#include "command/live/live_state.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "base/metrics/metric_text.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline command {
namespace {

using Type = MetricText::Type;

MetricLabels labels_of(const RingCounts& ring) {
  return {{"interface", ring.point}, {"ring", std::to_string(ring.ring)}};
}

MetricLabels with(MetricLabels labels, std::string_view name, std::string value) {
  labels.emplace_back(name, std::move(value));
  return labels;
}

// Words as label values: "not IP" is not_ip.
std::string in_one_word(std::string text) {
  for (char& c : text) c = c == ' ' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return text;
}

void add_rings(MetricText& text, const LiveState& state) {
  const auto each = [&](const char* name, const char* help, auto value_of) {
    text.family(name, Type::counter, help);
    for (const RingCounts& ring : state.rings) text.sample(value_of(ring), labels_of(ring));
  };
  each("warpmeter_ring_offered_packets_total", "Packets that were offered to a ring: received, filtered out or lost.",
       [](const RingCounts& ring) { return ring.offered(); });
  each("warpmeter_ring_received_packets_total", "Packets that a ring handed on to be metered.",
       [](const RingCounts& ring) { return ring.received; });
  each("warpmeter_ring_filtered_packets_total", "Packets kept out by the capture filter before they came to a ring.",
       [](const RingCounts& ring) { return ring.filtered; });
  each("warpmeter_ring_other_interfaces_packets_total",
       "Packets of interfaces that the pattern of a ring does not match; these were not offered.",
       [](const RingCounts& ring) { return ring.other_interfaces; });
  text.family("warpmeter_ring_lost_packets_total", Type::counter, "Packets that were lost, by place.");
  for (const RingCounts& ring : state.rings) {
    text.sample(ring.ring_full, with(labels_of(ring), "place", "ring_full"));
    text.sample(ring.no_socket, with(labels_of(ring), "place", "no_socket"));
    text.sample(ring.too_long, with(labels_of(ring), "place", "too_long"));
    text.sample(ring.hand_over_full, with(labels_of(ring), "place", "hand_over_full"));
  }
  each("warpmeter_ring_handed_over_packets_total",
       "Packets received whose flow belongs to another ring's thread, which got them.",
       [](const RingCounts& ring) { return ring.handed_over; });
  text.family("warpmeter_ring_frames_of_segments_total", Type::counter,
              "Frames of several segments: cut into those, or longer than the MTU and counted as one packet.");
  for (const RingCounts& ring : state.rings) {
    text.sample(ring.cut, with(labels_of(ring), "counted", "by_segment"));
    text.sample(ring.uncut, with(labels_of(ring), "counted", "as_one"));
  }
  text.family("warpmeter_ring_full_events_total", Type::counter, "How often a ring was full, where that is known.");
  for (const RingCounts& ring : state.rings) {
    if (ring.times_full) text.sample(*ring.times_full, labels_of(ring));
  }
  text.family("warpmeter_interface_lost_packets_total", Type::counter,
              "Packets that were lost before they came to any ring, as the interface counts them.");
  for (const PointCounts& point : state.points) text.sample(point.lost, {{"interface", point.point}});
  text.family("warpmeter_interface_gone", Type::gauge,
              "1: it was removed, and gives no packets any more, also not under the same name again.");
  for (const PointCounts& point : state.points) text.sample(std::uint64_t{point.gone}, {{"interface", point.point}});
}

// Those that are there: of a host where they come and go all day there would be ever more.
void add_followed(MetricText& text, const LiveState& state) {
  const auto none = [](const PointCounts& point) { return point.followed.empty(); };
  if (std::ranges::all_of(state.points, none)) return;
  const auto each = [&](const char* name, const char* help, auto value_of) {
    text.family(name, Type::counter, help);
    for (const PointCounts& point : state.points) {
      for (const FollowedCounts& one : point.followed) {
        if (!one.gone) text.sample(value_of(one), {{"pattern", point.point}, {"interface", one.interface}});
      }
    }
  };
  each("warpmeter_followed_frames_total", "Frames of an interface of a pattern, before they were cut into segments.",
       [](const FollowedCounts& one) { return one.frames; });
  each("warpmeter_followed_long_frames_total", "Of these, longer than its MTU allows and counted as one packet.",
       [](const FollowedCounts& one) { return one.long_frames; });
  each("warpmeter_followed_lost_packets_total", "Packets that were lost before they came to any ring.",
       [](const FollowedCounts& one) { return one.lost; });
}

void add_ring_gauges(MetricText& text, const LiveState& state) {
  text.family("warpmeter_ring_fill_ratio", Type::gauge, "The share of a ring that is taken, where that is known.");
  for (const RingCounts& ring : state.rings) {
    if (ring.fill) text.sample(*ring.fill, labels_of(ring));
  }
  text.family("warpmeter_ring_last_packet_age_seconds", Type::gauge,
              "How long ago the last packet came that a ring handed on.");
  for (const RingCounts& ring : state.rings) {
    if (ring.last_ns == 0) continue;
    const auto age = static_cast<double>(std::max<std::int64_t>(state.now_ns - ring.last_ns, 0));
    text.sample(age / 1e9, labels_of(ring));
  }
}

// What Flow Records count: a metric each, but for what the method does not count.
void add_counters(MetricText& text, const FlowRecord& totals) {
  const auto add = [&](std::string_view column, std::uint64_t value) {
    if (totals.absent >> column_number(column) & 1) return;
    text.family(fmt::format("warpmeter_exported_{}_total", column), Type::counter,
                fmt::format("Sum of the column {} of the Flow Records that were given to the outputs.", column));
    text.sample(value);
  };
#define WARPMETER_METRIC(name, ...) add(#name, totals.name);
  WARPMETER_FLOW_COUNTERS(WARPMETER_METRIC)
#undef WARPMETER_METRIC
}

void add_metering(MetricText& text, const LiveState& state) {
  const auto one = [&](const char* name, Type type, const char* help, std::uint64_t value) {
    text.family(name, type, help);
    text.sample(value);
  };
  one("warpmeter_read_bytes_total", Type::counter, "Captured bytes of the packets that were read.", state.bytes_read);
  one("warpmeter_metered_packets_total", Type::counter, "Packets that were metered.", state.metering.metered);
  text.family("warpmeter_ignored_packets_total", Type::counter, "Packets that were not metered, by reason.");
  for (int i = 0; i < kIgnoredReasons; ++i) {
    text.sample(state.metering.ignored[i], {{"reason", in_one_word(kIgnoredNames[i])}});
  }
  one("warpmeter_sample_one_in", Type::gauge, "One conversation of so many is metered (--sample-flows); 1: all.",
      state.sample_one_in);
  one("warpmeter_live_flows", Type::gauge, "Flows that have not ended.", state.metering.live_flows);
  one("warpmeter_ended_flows_total", Type::counter, "Flows that have ended.", state.metering.ended_flows);
  one("warpmeter_exported_records_total", Type::counter, "Flow Records that were given to the outputs.",
      state.records.records);
  add_counters(text, state.records.totals);
  text.family("warpmeter_record_latency_seconds", Type::histogram,
              "From when the end of a flow that fell idle was sure to its Flow Record.");
  text.histogram(kLatencyBounds, state.records.latency, state.records.latency_sum);
}

void add_outputs(MetricText& text, const std::vector<OutputLossCounts>& outputs) {
  const auto each = [&](const char* name, Type type, const char* help, auto value_of) {
    text.family(name, type, help);
    for (const OutputLossCounts& output : outputs) text.sample(value_of(output), {{"output", output.output}});
  };
  each("warpmeter_output_lost_records_total", Type::counter, "Flow Records that could not be written into files.",
       [](const OutputLossCounts& output) { return output.lost.records; });
  each("warpmeter_output_lost_packets_total", Type::counter, "Packets of these.",
       [](const OutputLossCounts& output) { return output.lost.packets; });
  each("warpmeter_output_lost_octets_total", Type::counter, "Octets of these packets.",
       [](const OutputLossCounts& output) { return output.lost.octets; });
  each("warpmeter_output_incomplete_files_total", Type::counter,
       "Files that have less than they were to have, or none.",
       [](const OutputLossCounts& output) { return output.files; });
  each("warpmeter_output_failing", Type::gauge, "1 if the last file is one of these.",
       [](const OutputLossCounts& output) { return std::uint64_t{output.is_failing}; });
}

void add_collector(MetricText& text, const ExportState& state) {
  const ExportCounters& c = state.counters;
  const auto one = [&](const char* name, Type type, const char* help, std::uint64_t value) {
    text.family(name, type, help);
    text.sample(value);
  };
  one("warpmeter_collector_records_total", Type::counter, "Flow Records for the collector.", c.records);
  one("warpmeter_collector_lost_records_total", Type::counter, "Of these, lost on the way to it.", c.lost_records);
  one("warpmeter_collector_repeated_records_total", Type::counter, "Of these, sent again on a new connection.",
      c.repeated_records);
  one("warpmeter_collector_messages_total", Type::counter, "Messages given to the network.", c.messages);
  one("warpmeter_collector_bytes_total", Type::counter, "Bytes of these messages.", c.bytes);
  one("warpmeter_collector_refused_messages_total", Type::counter, "UDP: messages refused, as far as is known.",
      c.refused_messages);
  one("warpmeter_collector_reconnects_total", Type::counter, "TCP: new connections to the collector.", c.reconnects);
  one("warpmeter_collector_queue_bytes", Type::gauge, "TCP: bytes that wait for the collector.", state.queued_bytes);
  one("warpmeter_collector_connected", Type::gauge, "1 if there is a connection, or none is needed (UDP).",
      state.connected);
}

void add_streams(MetricText& text, const StreamFeedCounts& c) {
  const auto one = [&](const char* name, Type type, const char* help, std::uint64_t value) {
    text.family(name, type, help);
    text.sample(value);
  };
  const auto by_reason = [&](const char* name, const char* help, std::uint64_t full, std::uint64_t nobody) {
    text.family(name, Type::counter, help);
    text.sample(full, {{"reason", "queue_full"}});
    text.sample(nobody, {{"reason", "no_detector"}});
  };
  one("warpmeter_stream_connections_total", Type::counter, "TCP connections that were put together.", c.connections);
  one("warpmeter_stream_live_connections", Type::gauge, "Of these, those that have not ended.",
      c.connections - c.ended);
  one("warpmeter_stream_blocks_total", Type::counter, "Blocks of their bytes.", c.blocks);
  one("warpmeter_stream_bytes_total", Type::counter, "Bytes in these blocks.", c.bytes);
  by_reason("warpmeter_stream_dropped_blocks_total", "Blocks that the detector did not get, by reason.",
            c.dropped_blocks, c.unread_blocks);
  by_reason("warpmeter_stream_dropped_bytes_total", "Bytes in these.", c.dropped_bytes, c.unread_bytes);
  one("warpmeter_stream_early_blocks_total", Type::counter, "Blocks submitted for want of memory.", c.early_blocks);
  one("warpmeter_stream_lost_segments_total", Type::counter, "Segments that found no room between two rings.",
      c.lost_segments);
  one("warpmeter_stream_queue_bytes", Type::gauge, "Bytes of records that wait for the detector.", c.queued_bytes);
  one("warpmeter_stream_detector_connected", Type::gauge, "1 if there is a detector.", c.connected);
  one("warpmeter_stream_detectors_total", Type::counter, "How often one has come.", c.readers);
}

void add_policy(MetricText& text, const LiveState& state) {
  const PolicyCounters& counters = *state.policy;
  const auto one = [&](const char* name, const char* help, std::uint64_t value) {
    text.family(name, Type::counter, help);
    text.sample(value);
  };
  one("warpmeter_policy_rounds_total", "Rounds: each is one packet through one group of the policy.", counters.rounds);
  one("warpmeter_policy_dropped_packets_total", "Packets that the policy dropped; none of these is metered.",
      counters.dropped);
  one("warpmeter_policy_truncated_packets_total", "Packets that left without their last rounds (--rounds).",
      counters.truncated);
  text.family("warpmeter_policy_rounds_bound", Type::gauge, "A packet has at most so many rounds (--rounds); 0: all.");
  text.sample(std::uint64_t{state.most_rounds});
  one("warpmeter_policy_forgotten_connections_total", "Connections that groups forgot for want of memory.",
      counters.forgotten);
  one("warpmeter_policy_records_with_labels_left_out_total",
      "Flow Records that left with more labels than they may have.", state.records.labels_cut);
  one("warpmeter_policy_reloads_total", "How often another policy has come into force from the file (SIGHUP).",
      state.policy_reloads.reloads);
  one("warpmeter_policy_reload_errors_total", "How often it was refused.", state.policy_reloads.errors);
  if (const auto& changes = state.policy_changes) {
    one("warpmeter_policy_changes_total", "Changes of the policy in force by its control socket.", changes->changes);
    one("warpmeter_policy_change_errors_total", "Requests there that were refused.", changes->errors);
  }
  if (!counters.policy || counters.groups.empty()) return;
  const CompiledPolicy& policy = *counters.policy;
  const auto labels = [&](std::size_t i) {
    const Group& group = policy.memory().groups().at(policy.groups()[i].id);
    return MetricLabels{{"group", std::to_string(group.id)}, {"name", group.name}};
  };
  text.family("warpmeter_policy_group_packets_total", Type::counter, "Packets that met a group, by outcome.");
  for (std::size_t i = 0; i < counters.groups.size(); ++i) {
    text.sample(counters.groups[i].matched, with(labels(i), "outcome", "match"));
    text.sample(counters.groups[i].mismatched, with(labels(i), "outcome", "mismatch"));
  }
  text.family("warpmeter_policy_rule_hits_total", Type::counter, "How often a rule of a group held, by its place.");
  for (std::size_t i = 0; i < counters.groups.size(); ++i) {
    const CompiledGroup& group = policy.groups()[i];
    for (std::size_t rule = 0; rule < group.rules.size(); ++rule) {
      text.sample(counters.hits[group.first_hit + rule], with(labels(i), "rule", std::to_string(rule + 1)));
    }
  }
}

double resident_bytes() {
  std::uint64_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

void add_process(MetricText& text, const LiveState& state, const std::string& version) {
  text.family("warpmeter_build_info", Type::gauge, "1; its label is the version.");
  text.sample(std::uint64_t{1}, {{"version", version}});
  const auto one = [&](const char* name, Type type, const char* help, double value) {
    text.family(name, type, help);
    text.sample(value);
  };
  one("warpmeter_uptime_seconds", Type::gauge, "How long the capture has been running.", state.up_seconds);
  one("process_resident_memory_bytes", Type::gauge, "Resident memory.", resident_bytes());
  one("process_cpu_seconds_total", Type::counter, "User and system CPU time.", cpu_seconds());
}

}  // namespace

std::string live_metrics(const LiveState& state, const std::string& version) {
  MetricText text;
  add_process(text, state, version);
  add_rings(text, state);
  add_followed(text, state);
  add_ring_gauges(text, state);
  add_metering(text, state);
  if (!state.outputs.empty()) add_outputs(text, state.outputs);
  if (state.collector) add_collector(text, *state.collector);
  if (state.streams) add_streams(text, *state.streams);
  if (state.policy) add_policy(text, state);
  return text.text();
}

}  // namespace warpmeter::inline command
