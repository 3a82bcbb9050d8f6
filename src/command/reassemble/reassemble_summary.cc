#include "command/reassemble/reassemble_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/words/human_units.h"
#include "pipeline/run/stats_json.h"
#include "pipeline/run/summary.h"
#include "warpmeter/stream_reason_words.h"

namespace warpmeter::inline command {
namespace {

using Json = nlohmann::ordered_json;

std::string bytes_text(std::uint64_t bytes) { return human_bytes(static_cast<double>(bytes)); }

std::string connections_text(const StreamTotals& totals) {
  std::string text = std::to_string(totals.connections);
  const char* separator = ": ";
  for (std::size_t i = 0; i < totals.ends.size(); ++i) {
    if (totals.ends[i] == 0) continue;
    text += fmt::format("{}{} {}", separator, word_of(static_cast<StreamReason>(i)), totals.ends[i]);
    separator = ", ";
  }
  return text;
}

std::string text_of(const ReassembleSummary& s) {
  std::string text;
  const auto line = [&text](const char* what, const std::string& value) {
    text += fmt::format("  {:<20}{}\n", what, value);
  };
  const auto remark = [&](std::uint64_t count, const char* what, const std::string& value) {
    if (count > 0) line(what, value);
  };
  const StreamCounters& c = s.totals.counters;
  line("packets read", fmt::format("{} ({})", s.decode.frames, bytes_text(s.bytes_read)));
  text += left_out_text({s.findings.unreadable.size(), s.passed_over, s.findings.files_again, s.folders_below});
  line("packets ignored", ignored_text(s.decode));
  text += unread_text(s.decode, false);
  line("connections", connections_text(s.totals));
  line("complete",
       fmt::format("{} of {}, from SYN to FIN in both directions", s.totals.complete, s.totals.connections));
  line("submitted", fmt::format("{} in {}", bytes_text(c.submitted_bytes), human_number_of(s.totals.blocks, "block")));
  remark(c.repeated_bytes, "repeated", bytes_text(c.repeated_bytes));
  remark(c.conflicting_bytes, "conflicting", fmt::format("{} of the repeated ones", bytes_text(c.conflicting_bytes)));
  remark(c.late_bytes, "late", fmt::format("{}, whose place had been given up", bytes_text(c.late_bytes)));
  remark(c.gap_bytes, "missing",
         fmt::format("{} in {}", bytes_text(c.gap_bytes), human_number_of(s.totals.gaps, "gap")));
  remark(c.cut_bytes, "cut off", fmt::format("{}, by the capture's snap length", bytes_text(c.cut_bytes)));
  remark(s.counters.stray_segments, "stray segments", std::to_string(s.counters.stray_segments));
  remark(s.counters.early_blocks + s.counters.early_connections, "for lack of memory",
         fmt::format("{} submitted, {} ended (--memory)", human_number_of(s.counters.early_blocks, "block"),
                     human_number_of(s.counters.early_connections, "connection")));
  remark(s.findings.skips.places, "skipped", text_of(s.findings.skips));
  remark(s.findings.clamped_times, "times out of range", human_number_of(s.findings.clamped_times, "packet"));
  remark(s.findings.time_runs_back_count, "time runs back",
         human_number_of(s.findings.time_runs_back_count, "time") + " between files");
  const double seconds = std::max(s.seconds, 1e-9);
  line("time", fmt::format("{}, {} packets/s, {}", human_time(s.seconds),
                           human_count(static_cast<double>(s.decode.frames) / seconds),
                           human_bit_rate(static_cast<double>(s.bytes_read) / seconds)));
  if (s.interrupted) line("interrupted", "what was read until then is in the output");
  return text;
}

Json json_of(const ReassembleSummary& s) {
  Json json = {{"exit status", static_cast<int>(s.status)}, {"packets read", s.decode.frames}};
  json["ignored"] = ignored_json(s.decode);
  add_unread(json, s.decode);
  json["taken out of tunnels"] = s.decode.decapsulated;
  json["malformed segments"] = s.decode.malformed_segments;
  json["TCP headers cut off"] = s.decode.uncaptured_tcp_headers;
  json["TCP headers cut short on the wire"] = s.decode.cut_tcp_headers;
  json["connections"] = s.totals.connections;
  json["complete"] = s.totals.complete;
  Json& ends = json["connections by end"] = Json::object();
  for (std::size_t i = static_cast<std::size_t>(StreamReason::fin); i < s.totals.ends.size(); ++i) {
    ends[word_of(static_cast<StreamReason>(i))] = s.totals.ends[i];
  }
  json["blocks"] = s.totals.blocks;
  json["gaps"] = s.totals.gaps;
  Json& totals = json["totals"] = Json::object();
#define WARPMETER_ONE(name) totals[#name] = s.totals.counters.name;
  WARPMETER_STREAM_COUNTERS(WARPMETER_ONE)
#undef WARPMETER_ONE
  json["stray segments"] = s.counters.stray_segments;
  json["blocks for lack of memory"] = s.counters.early_blocks;
  json["connections for lack of memory"] = s.counters.early_connections;
  json["damage"] = damage_json(s.findings.damage);
  json["skipped"] = skips_json(s.findings.skips);
  json["fractions out of range"] = odd_fractions_json(s.findings.odd_fractions);
  json["unreadable"] = s.findings.unreadable;
  json["passed over"] = s.passed_over;
  json["read before under another name"] = s.findings.files_again;
  json["folders below not read"] = s.folders_below;
  json["times out of range"] = s.findings.clamped_times;
  json["time runs back"] = s.findings.time_runs_back_count;
  json["bytes read"] = s.bytes_read;
  json["seconds"] = s.seconds;
  return json;
}

}  // namespace

std::string summary_json(const ReassembleSummary& s) { return stats_text(json_of(s)); }

RunReport report_of(const ReassembleSummary& s, std::string_view place) {
  return {summary_json(s), reading_warnings(s, place), text_of(s)};
}

}  // namespace warpmeter::inline command
