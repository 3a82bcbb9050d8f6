#include "command/decode/decode_summary.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/words/human_units.h"
#include "pipeline/run/stats_json.h"
#include "pipeline/run/summary_list.h"

namespace warpmeter::inline command {
namespace {

using Json = nlohmann::ordered_json;

std::string written_text(const DecodeSummary& s) {
  const auto bytes = static_cast<double>(s.bytes_written);
  const std::uint64_t packets = s.decode.frames;
  if (packets == 0) return human_bytes(bytes);
  return fmt::format("{}, {:.1f} bytes a packet", human_bytes(bytes), bytes / static_cast<double>(packets));
}

SummaryList list_of(const DecodeSummary& s) {
  SummaryList list;
  add_packets_read(list, s);
  add_unreadable(list, s);
  add_left_out(list, s);
  add_skipped(list, s);
  list.add("packets_decoded", "packets decoded", s.decode.metered, std::to_string(s.decode.metered));
  add_ignored(list, s);
  add_unread(list, s);
  list.add("bytes_written", "written", s.bytes_written, written_text(s));
  add_duration(list, s, false, "what was read until then is in the segment files");
  return list;
}

// Beside the list, what the files say themselves.
std::string json_of(const DecodeSummary& s, const SummaryList& list) {
  Json json = list.json();
  json.update(Json::parse(set_facts_json(s.facts)));
  return stats_text(json);
}

}  // namespace

RunReport report_of(const DecodeSummary& s) {
  const SummaryList list = list_of(s);
  return {json_of(s, list), reading_warnings(s, "in the segment files"), list.text()};
}

}  // namespace warpmeter::inline command
