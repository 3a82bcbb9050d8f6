// The summary of extract and live as a list of facts, in the order in which people read it.
#include <fmt/format.h>

#include <algorithm>

#include "base/words/human_units.h"
#include "pipeline/run/summary_list.h"
#include "pipeline/run/summary_parts.h"
#include "warpmeter/columns.h"

namespace warpmeter::inline pipeline {
namespace {

using Json = SummaryList::Json;

std::string unless_none(std::uint64_t n) { return n ? std::to_string(n) : ""; }

void add_packets(SummaryList& list, const Summary& s, bool verbose) {
  add_packets_read(list, s);
  if (!s.rings.empty()) list.add("capture", "packets lost", capture_json(s), losses_text(s.rings, s.points));
  if (const std::string text = frames_of_segments_text(s.rings); !text.empty()) {
    list.add_for_people("frames of segments", text);
  }
  list.add("packets_metered", "packets metered", s.decode.metered, std::to_string(s.decode.metered));
  add_ignored(list, s);
  list.add("sample_of_flows", "sample of flows", sample_rate(s.sample_one_in), sample_text(s));
  if (s.sample_changes) list.add_for_programs("changes_of_the_sample", sample_changes_json(s));
  SummaryList unread;
  add_unread(unread, s);
  for (const auto& [key, value] : unread.json().items()) list.add_for_programs(key, value);
  list.add_lines(verbose ? all_unread_text(s.decode) : unread.text());
}

// Sums of the counters of Flow Records, for programs all of them.
void add_flows(SummaryList& list, const Summary& s) {
  const FlowRecord& totals = s.totals;
  list.add_for_programs("totals", totals_json(totals, not_counted_by(s.method)));
  list.add_for_people("duplicates", std::to_string(s.meter.duplicate_packets));
  list.add_for_people("retransmitted", human_number_of(totals.retransmitted_segments, "segment") + ", " +
                                           human_number_of(totals.retransmitted_bytes, "byte"));
  if (s.method == Method::five_tuple) {
    list.add("method", "method", "five-tuple", "five-tuple, memory blocks of " + human_number_of(s.block, "packet"));
    list.add_for_programs("block", s.block);
  } else {
    list.add_for_programs("method", "exact");
    list.add_for_people("out of order", human_number_of(totals.out_of_order_segments, "segment"));
    list.add_for_people("missing", human_number_of(totals.missing_bytes, "byte"));
  }
  list.add("flows_by_end_reason", "flows", end_reasons_json(s.join), end_reasons_text(s.join));
  list.add("rows", "flow records", s.rows, std::to_string(s.rows));
}

Json policy_json(const PolicyCounters& counters, std::uint64_t labels_cut) {
  const CompiledPolicy& policy = *counters.policy;
  Json groups = Json::array();
  for (std::size_t i = 0; i < counters.groups.size(); ++i) {
    const Group& group = policy.memory().groups().at(policy.groups()[i].id);
    Json rules = Json::array();
    for (std::size_t rule = 0; rule < group.rules.size(); ++rule) {
      rules.push_back({{"name", group.rules[rule].name}, {"hits", counters.hits[policy.groups()[i].first_hit + rule]}});
    }
    const auto& [matched, mismatched] = counters.groups[i];
    groups.push_back({{"id", group.id},
                      {"name", group.name},
                      {"rounds", matched + mismatched},
                      {"matches", matched},
                      {"mismatches", mismatched},
                      {"rules", rules}});
  }
  return {{"dropped_packets", counters.dropped},
          {"truncated_packets", counters.truncated},
          {"forgotten_connections", counters.forgotten},
          {"flow_records_with_labels_left_out", labels_cut},
          {"rounds", counters.rounds},
          {"groups", groups}};
}

}  // namespace

std::string policy_text(const PolicyCounters& counters) {
  std::string text =
      fmt::format("{} in {}, {} dropped", human_number_of(counters.rounds, "round"),
                  human_number_of(counters.groups.size(), "group"), human_number_of(counters.dropped, "packet"));
  if (counters.truncated) text += fmt::format(", {} without their last rounds (--rounds)", counters.truncated);
  if (counters.forgotten) {
    text += fmt::format(", {} forgotten for want of memory (--memory): labels of theirs may be missing",
                        human_number_of(counters.forgotten, "connection"));
  }
  return text;
}

namespace {

void add_policy(SummaryList& list, const Summary& s) {
  if (s.policy) list.add("policy", "policy", policy_json(*s.policy, s.labels_cut), policy_text(*s.policy));
  if (s.labels_cut) list.add_for_people("labels left out", "of " + human_number_of(s.labels_cut, "flow record"));
  if (s.rounds_changes) list.add("changes_of_rounds", "rounds", rounds_changes_json(s), rounds_text(s));
}

void add_outputs(SummaryList& list, const Summary& s) {
  if (!s.outputs.empty()) list.add("outputs", "not written", outputs_json(s.outputs), text_of(s.outputs));
  if (s.exported) list.add("exported", "exported", exported_json(*s.exported), exported_text(s.exported->counters));
  if (s.streams) list.add("streams", "streams", streams_json(*s.streams), streams_text(*s.streams));
}

void add_folder(SummaryList& list, const Summary& s) {
  const bool any = s.files || s.files_left;
  if (any || s.is_told) list.add("folder", "files", folder_json(s), any ? folder_text(s) : "");
  const std::size_t unreadable = s.findings.unreadable.size();
  if (unreadable && s.points.empty()) {
    list.add_for_people("unreadable", files_text(unreadable + s.unreadable_beyond));
  } else if (unreadable) {
    list.add_for_people("gone", fmt::format("{} of {}", unreadable, points_text(s.points)));
  }
  list.add_for_programs("unreadable", unreadable_json(s));
  if (s.changed) list.add_for_people("changed", files_text(s.changed) + " after being read");
  if (s.not_deleted) list.add_for_people("not deleted", files_text(s.not_deleted) + " (--delete-after)");
  if (s.folder_is_gone) list.add_for_people("folder", "gone");
}

void add_cut_headers(SummaryList& list, const DecodeCounters& decode) {
  const std::uint64_t on_wire = decode.cut_tcp_headers, cut_off = decode.uncaptured_tcp_headers;
  list.add_for_programs("tcp_headers_cut_short_on_the_wire", on_wire);
  if (on_wire) {
    list.add_lines(
        fmt::format("  TCP header cut short in {}, on the wire already: retransmissions there could not be counted\n",
                    human_number_of(on_wire, "packet")));
  }
  list.add("tcp_headers_cut_off", "TCP headers cut off", cut_off,
           cut_off ? fmt::format("of {}, by too short a snap length: their retransmissions could not be counted",
                                 human_number_of(cut_off, "packet"))
                   : "");
}

// What the user should know of the inputs before believing the figures.
void add_inputs(SummaryList& list, const Summary& s) {
  add_folder(list, s);
  add_left_out(list, s);
  add_skipped(list, s);
  add_damage(list, s);
  const std::uint64_t clamped = s.findings.clamped_times;
  list.add("times_out_of_range", "times out of range", clamped,
           clamped ? human_number_of(clamped, "packet") + "; metered at the year 1823 or 2116" : "");
  list.add("time_runs_back", "time runs back", s.findings.time_runs_back_count,
           s.findings.time_runs_back_count ? time_runs_back_text(s) : "");
  list.add_for_programs("time_runs_back_between", time_runs_back_json(s));
  add_cut_headers(list, s.decode);
}

// Things that happen rarely and should be seen when they do.
void add_remarks(SummaryList& list, const Summary& s) {
  const auto remark = [&list](const char* key, const char* label, std::uint64_t n) {
    list.add(key, label, n, unless_none(n));
  };
  remark("short_transport_headers", "short headers", s.decode.short_transport_headers);
  remark("malformed_segments", "malformed segments", s.decode.malformed_segments);
  remark("taken_out_of_tunnels", "taken out of tunnels", s.decode.decapsulated);
  list.add("evicted_flows", "evicted flows", s.meter.evicted,
           s.meter.evicted ? fmt::format("{}; of these, retransmissions and missing bytes are incomplete (--memory)",
                                         s.meter.evicted)
                           : "");
  remark("evicted_flows_joined", "evicted and joined", s.join.evicted_joined);
  if (s.sample_changes) list.add_for_programs("flows_that_left_the_sample", s.meter.left_sample);
  if (s.meter.left_sample) list.add_for_people("left the sample", std::to_string(s.meter.left_sample));
  remark("late_packets", "late packets", s.join.late_packets);
  list.add_for_programs("idle_flows_let_go", s.meter.expired);
  list.add_for_programs("peak_live_flows", s.meter.peak_live_flows);
  const bool is_exact = s.method == Method::exact;
  if (is_exact && s.totals.stray_segments) {
    list.add_for_people("stray segments", std::to_string(s.totals.stray_segments));
  }
  list.add("sequence_jumps", "sequence jumps", s.meter.jumps, is_exact ? unless_none(s.meter.jumps) : "");
  remark("holes_dropped", "holes dropped", s.meter.dropped_holes);
  remark("metered_on_the_cpu", "metered on the CPU", s.meter.on_cpu);
  remark("runs_written", "runs written", s.runs_written);
}

void add_run(SummaryList& list, const Summary& s) {
  add_duration(list, s, false, s.lost_some() ? "nothing more was read" : "what was read until then is in the output");
  list.add_for_programs("packets_per_second", static_cast<double>(s.decode.frames) / std::max(s.seconds, 1e-9));
  list.add("backend", "backend", Json{{"name", s.backend}, {"reason", s.backend_reason}, {"threads", s.threads}},
           fmt::format("{}, {}{}", s.backend, human_number_of(s.threads, "thread"),
                       s.is_backend_remark ? " (" + s.backend_reason + ")" : ""));
  list.add_for_programs("stage_seconds", stages_json(s));
}

SummaryList list_of(const Summary& s, bool verbose = false) {
  SummaryList list;
  add_packets(list, s, verbose);
  if (const std::string problem = problem_of(s); !problem.empty()) list.add_for_programs("error", problem);
  add_flows(list, s);
  add_policy(list, s);
  add_outputs(list, s);
  add_inputs(list, s);
  add_remarks(list, s);
  add_run(list, s);
  return list;
}

}  // namespace

std::string summary_text(const Summary& s, bool with_stages, bool verbose) {
  SummaryList list = list_of(s, verbose);
  if (with_stages) list.add_lines(stages_text(s));
  return list.text();
}

std::string summary_json(const Summary& s) { return stats_text(list_of(s).json()); }

std::string failure_json(const std::string& message, const Summary& so_far) {
  SummaryList list;
  add_packets(list, so_far, false);
  list.add_for_programs("exit_status", static_cast<int>(ExitStatus::failed));
  list.add_for_programs("error", message);
  add_outputs(list, so_far);
  list.add_for_programs("unreadable", so_far.findings.unreadable);
  list.add_for_programs("seconds", so_far.seconds);
  return stats_text(list.json());
}

}  // namespace warpmeter::inline pipeline
