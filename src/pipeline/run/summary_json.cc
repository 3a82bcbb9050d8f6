// What --stats writes of a run.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "pipeline/run/stats_json.h"
#include "pipeline/run/summary.h"
#include "warpmeter/columns.h"
#include "warpmeter/end_reason_words.h"

namespace warpmeter::inline pipeline {
namespace {

nlohmann::ordered_json exported_json(const ExportReport& report) {
  const ExportCounters& c = report.counters;
  return {{"records", c.records},
          {"lost records", c.lost_records},
          {"unconfirmed records", c.unconfirmed_records},
          {"repeated records", c.repeated_records},
          {"messages", c.messages},
          {"bytes", c.bytes},
          {"template messages", c.template_messages},
          {"refused messages", c.refused_messages},
          {"reconnects", c.reconnects},
          {"problem", report.problem}};
}

nlohmann::ordered_json capture_json(const Summary& s) {
  auto rings = nlohmann::ordered_json::array(), points = nlohmann::ordered_json::array();
  for (const RingCounts& r : s.rings) {
    rings.push_back({{"interface", r.point},
                     {"ring", r.ring},
                     {"offered", r.offered()},
                     {"received", r.received},
                     {"filtered out before", r.filtered},
                     {"from other interfaces", r.other_interfaces},
                     {"lost because it was full", r.ring_full},
                     {"times full", r.times_full ? nlohmann::ordered_json(*r.times_full) : nullptr},
                     {"lost because nobody takes their queue", r.no_socket},
                     {"lost because they were too long", r.too_long},
                     {"frames cut into segments", r.cut},
                     {"frames longer than the MTU", r.uncut},
                     {"handed over", r.handed_over},
                     {"lost because the hand-over was full", r.hand_over_full}});
  }
  for (const PointCounts& p : s.points) {
    points.push_back({{"interface", p.point}, {"lost by the interface", p.lost}});
    if (p.at_least) points.back()["at least"] = true;
    for (const FollowedCounts& one : p.followed) {
      points.back()["followed"].push_back({{"interface", one.interface},
                                           {"frames", one.frames},
                                           {"frames longer than the MTU", one.long_frames},
                                           {"lost by the interface", one.lost},
                                           {"gone", one.gone}});
    }
  }
  return {{"rings", rings}, {"interfaces", points}};
}

nlohmann::ordered_json outputs_json(const std::vector<OutputLossCounts>& outputs) {
  auto json = nlohmann::ordered_json::array();
  for (const OutputLossCounts& o : outputs) {
    json.push_back({{"output", o.output},
                    {"lost records", o.lost.records},
                    {"lost packets", o.lost.packets},
                    {"lost octets", o.lost.octets},
                    {"files not complete", o.files},
                    {"problem", o.problem}});
  }
  return json;
}

nlohmann::ordered_json streams_json(const StreamFeedCounts& c) {
  return {{"connections", c.connections},
          {"blocks", c.blocks},
          {"bytes", c.bytes},
          {"dropped blocks", c.dropped_blocks},
          {"dropped bytes", c.dropped_bytes},
          {"blocks without a detector", c.unread_blocks},
          {"bytes without a detector", c.unread_bytes},
          {"early blocks", c.early_blocks},
          {"ends not told", c.dropped_ends},
          {"stray segments", c.stray_segments},
          {"lost segments", c.lost_segments},
          {"detectors", c.readers}};
}

// How many packets there were, and what became of them.
void add_packets(nlohmann::ordered_json& json, const Summary& s) {
  json["packets read"] = s.decode.frames;
  json["packets metered"] = s.decode.metered;
  json["ignored"] = ignored_json(s.decode);
  const auto rate_of = [](std::uint32_t one_in) { return "1/" + std::to_string(one_in); };
  json["sample of flows"] = rate_of(s.sample_one_in);
  if (s.sample_changes) {
    auto& changes = json["changes of the sample"] = nlohmann::ordered_json::array();
    for (const SampleChange& change : *s.sample_changes) {
      changes.push_back({{"from_ns", change.time_ns}, {"sample of flows", rate_of(change.one_in)}});
    }
  }
  add_unread(json, s.decode);
  if (!s.rings.empty()) json["capture"] = capture_json(s);
  if (s.streams) json["streams"] = streams_json(*s.streams);
}

}  // namespace

std::string failure_json(const std::string& message, const Summary& so_far) {
  nlohmann::ordered_json json = {{"exit status", static_cast<int>(ExitStatus::failed)}, {"error", message}};
  add_packets(json, so_far);
  if (!so_far.outputs.empty()) json["outputs"] = outputs_json(so_far.outputs);
  if (so_far.exported) json["exported"] = exported_json(*so_far.exported);
  json["unreadable"] = so_far.findings.unreadable;
  json["bytes read"] = so_far.bytes_read;
  json["seconds"] = so_far.seconds;
  return stats_text(json);
}

std::string summary_json(const Summary& s) {
  nlohmann::ordered_json json;
  json["exit status"] = static_cast<int>(s.status);
  if (const std::string problem = problem_of(s); !problem.empty()) json["error"] = problem;
  add_packets(json, s);
  json["short transport headers"] = s.decode.short_transport_headers;
  json["malformed segments"] = s.decode.malformed_segments;
  json["TCP headers cut off"] = s.decode.uncaptured_tcp_headers;
  json["TCP headers cut short on the wire"] = s.decode.cut_tcp_headers;
  json["taken out of tunnels"] = s.decode.decapsulated;
  json["rows"] = s.rows;
  json["method"] = s.method == Method::exact ? "exact" : "five-tuple";
  if (s.method == Method::five_tuple) json["block"] = s.block;
  auto& reasons = json["flows by end reason"] = nlohmann::ordered_json::object();
  for (std::size_t i = 1; i < kEndReasonWords.size(); ++i)
    reasons[std::string(kEndReasonWords[i])] = s.join.flows_by_end_reason[i];
  json["totals"] = totals_json(s.totals, not_counted_by(s.method));
  json["evicted flows"] = s.meter.evicted;
  json["evicted flows joined"] = s.join.evicted_joined;
  if (s.sample_changes) json["flows that left the sample"] = s.meter.left_sample;
  json["idle flows let go"] = s.meter.expired;
  json["late packets"] = s.join.late_packets;
  json["holes dropped"] = s.meter.dropped_holes;
  json["sequence jumps"] = s.meter.jumps;
  json["metered on the CPU"] = s.meter.on_cpu;
  json["peak live flows"] = s.meter.peak_live_flows;
  json["runs written"] = s.runs_written;
  if (!s.outputs.empty()) json["outputs"] = outputs_json(s.outputs);
  if (s.exported) json["exported"] = exported_json(*s.exported);
  json["damage"] = damage_json(s.findings.damage);
  json["skipped"] = skips_json(s.findings.skips);
  json["fractions out of range"] = odd_fractions_json(s.findings.odd_fractions);
  auto& unreadable = json["unreadable"] = s.findings.unreadable;
  for (const std::string& line : s.left_out) unreadable.push_back(line);
  if (s.files || s.files_left || s.is_told) {
    json["folder"] = {{"files read", s.files},
                      {"files left", s.files_left},
                      {"files damaged", s.files_damaged},
                      {"files unreadable", s.findings.unreadable.size() + s.unreadable_beyond},
                      {"files changed", s.changed},
                      {"files not deleted", s.not_deleted},
                      {"gone", s.folder_is_gone}};
  }
  json["passed over"] = s.passed_over;
  json["read before under another name"] = s.findings.files_again;
  json["folders below not read"] = s.folders_below;
  json["times out of range"] = s.findings.clamped_times;
  json["time runs back"] = s.findings.time_runs_back_count;
  auto& back = json["time runs back between"] = nlohmann::ordered_json::array();
  for (const TimeRunsBack& t : s.findings.time_runs_back)
    back.push_back({{"from", t.from}, {"to", t.to}, {"ns", t.by_ns}});
  json["bytes read"] = s.bytes_read;
  json["seconds"] = s.seconds;
  json["packets per second"] = static_cast<double>(s.decode.frames) / std::max(s.seconds, 1e-9);
  json["backend"] = {{"name", s.backend}, {"reason", s.backend_reason}, {"threads", s.threads}};
  auto& stages = json["stage seconds"] = nlohmann::ordered_json::object();
  for (const auto& [stage, seconds] : s.stages) stages[stage] = seconds;
  return stats_text(json);
}

}  // namespace warpmeter::inline pipeline
