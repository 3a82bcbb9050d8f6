// Values of the summary, as --stats has them.
#include <nlohmann/json.hpp>

#include "pipeline/run/summary_list.h"
#include "pipeline/run/summary_parts.h"
#include "warpmeter/end_reason.h"

namespace warpmeter::inline pipeline {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

Json exported_json(const ExportReport& report) {
  const ExportCounters& c = report.counters;
  return with_old_keys({{"records", c.records},
                        {"lost_records", c.lost_records},
                        {"unconfirmed_records", c.unconfirmed_records},
                        {"repeated_records", c.repeated_records},
                        {"messages", c.messages},
                        {"bytes", c.bytes},
                        {"template_messages", c.template_messages},
                        {"refused_messages", c.refused_messages},
                        {"reconnects", c.reconnects},
                        {"problem", report.problem}});
}

Json capture_json(const Summary& s) {
  auto rings = Json::array(), points = Json::array();
  for (const RingCounts& r : s.rings) {
    rings.push_back({{"interface", r.point},
                     {"ring", r.ring},
                     {"offered", r.offered()},
                     {"received", r.received},
                     {"filtered_out_before", r.filtered},
                     {"from_other_interfaces", r.other_interfaces},
                     {"lost_because_it_was_full", r.ring_full},
                     {"times_full", r.times_full ? Json(*r.times_full) : nullptr},
                     {"lost_because_nobody_takes_their_queue", r.no_socket},
                     {"lost_because_they_were_too_long", r.too_long},
                     {"frames_cut_into_segments", r.cut},
                     {"frames_longer_than_the_mtu", r.uncut},
                     {"handed_over", r.handed_over},
                     {"lost_because_the_hand_over_was_full", r.hand_over_full}});
  }
  for (const PointCounts& p : s.points) {
    points.push_back({{"interface", p.point}, {"lost_by_the_interface", p.lost}});
    if (p.at_least) points.back()["at_least"] = true;
    auto followed = Json::array();
    for (const FollowedCounts& one : p.followed) {
      followed.push_back({{"interface", one.interface},
                          {"frames", one.frames},
                          {"frames_longer_than_the_mtu", one.long_frames},
                          {"lost_by_the_interface", one.lost},
                          {"gone", one.gone}});
    }
    if (!followed.empty()) points.back()["followed"] = with_old_keys(followed);
  }
  return {{"rings", with_old_keys(rings)}, {"interfaces", with_old_keys(points)}};
}

Json outputs_json(const std::vector<OutputLossCounts>& outputs) {
  auto json = Json::array();
  for (const OutputLossCounts& o : outputs) {
    json.push_back({{"output", o.output},
                    {"lost_records", o.lost.records},
                    {"lost_packets", o.lost.packets},
                    {"lost_octets", o.lost.octets},
                    {"files_not_complete", o.files},
                    {"problem", o.problem}});
  }
  return with_old_keys(json);
}

Json streams_json(const StreamFeedCounts& c) {
  return with_old_keys({{"connections", c.connections},
                        {"blocks", c.blocks},
                        {"bytes", c.bytes},
                        {"dropped_blocks", c.dropped_blocks},
                        {"dropped_bytes", c.dropped_bytes},
                        {"blocks_without_a_detector", c.unread_blocks},
                        {"bytes_without_a_detector", c.unread_bytes},
                        {"early_blocks", c.early_blocks},
                        {"ends_not_told", c.dropped_ends},
                        {"stray_segments", c.stray_segments},
                        {"lost_segments", c.lost_segments},
                        {"detectors", c.readers}});
}

Json sample_changes_json(const Summary& s) {
  Json changes = Json::array();
  for (const SampleChange& change : *s.sample_changes) {
    changes.push_back({{"from_ns", change.time_ns}, {"sample_of_flows", sample_rate(change.one_in)}});
  }
  return with_old_keys(changes);
}

Json rounds_changes_json(const Summary& s) {
  Json changes = Json::array();
  for (const RoundsChange& change : *s.rounds_changes) {
    changes.push_back(
        {{"from_ns", change.time_ns}, {"most_rounds", change.most == RoundsBound::kNone ? 0 : change.most}});
  }
  return changes;
}

Json end_reasons_json(const JoinCounters& join) {
  Json reasons = Json::object();
  for (std::size_t i = 1; i < kEndReasonWords.size(); ++i) {
    reasons[std::string(kEndReasonWords[i])] = join.flows_by_end_reason[i];
  }
  return reasons;
}

Json folder_json(const Summary& s) {
  return with_old_keys({{"files_read", s.files},
                        {"files_left", s.files_left},
                        {"files_damaged", s.files_damaged},
                        {"files_unreadable", s.findings.unreadable.size() + s.unreadable_beyond},
                        {"files_changed", s.changed},
                        {"files_not_deleted", s.not_deleted},
                        {"gone", s.folder_is_gone}});
}

Json unreadable_json(const Summary& s) {
  Json unreadable = s.findings.unreadable;
  for (const std::string& line : s.left_out) unreadable.push_back(line);
  return unreadable;
}

Json time_runs_back_json(const Summary& s) {
  Json back = Json::array();
  for (const ClockRegression& t : s.findings.time_runs_back) {
    back.push_back({{"from", t.from}, {"to", t.to}, {"ns", t.by_ns}});
  }
  return back;
}

Json stages_json(const Summary& s) {
  Json stages = Json::object();
  for (const auto& [stage, seconds] : s.stages) stages[stage] = seconds;
  return stages;
}

}  // namespace warpmeter::inline pipeline
