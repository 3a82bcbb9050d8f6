#include "command/decode/decode_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/words/human_units.h"
#include "base/words/printable.h"
#include "pipeline/run/stats_json.h"
#include "pipeline/run/summary.h"

namespace warpmeter::inline command {
namespace {

using Json = nlohmann::ordered_json;

std::string written_text(const DecodeSummary& s) {
  const auto bytes = static_cast<double>(s.bytes_written);
  const std::uint64_t packets = s.decode.frames;
  if (packets == 0) return human_bytes(bytes);
  return fmt::format("{}, {:.1f} bytes a packet", human_bytes(bytes), bytes / static_cast<double>(packets));
}

std::string text_of(const DecodeSummary& s) {
  std::string text;
  const auto line = [&text](const char* what, const std::string& value) {
    text += fmt::format("  {:<20}{}\n", what, printable(value));
  };
  const DecodeCounters& counters = s.decode;
  line("packets read", fmt::format("{} ({})", counters.frames, human_bytes(static_cast<double>(s.bytes_read))));
  const TraceFindings& found = s.findings;
  text += left_out_text({found.unreadable.size(), s.passed_over, found.files_again, s.folders_below});
  if (found.skips.places) line("skipped", text_of(found.skips));
  line("packets decoded", std::to_string(counters.metered));
  line("packets ignored", ignored_text(counters));
  text += unread_text(counters, false);
  line("written", written_text(s));
  line("time", fmt::format("{}, {} packets/s", human_time(s.seconds),
                           human_count(static_cast<double>(counters.frames) / std::max(s.seconds, 1e-9))));
  if (s.interrupted) line("interrupted", "what was read until then is in the segment files");
  return text;
}

std::string json_of(const DecodeSummary& s) {
  Json json = {{"exit status", static_cast<int>(s.status)}};
  json.update(Json::parse(set_facts_json(s.facts)));
  add_unread(json, s.decode);
  json["passed over"] = s.passed_over;
  json["folders below not read"] = s.folders_below;
  json["bytes read"] = s.bytes_read;
  json["bytes written"] = s.bytes_written;
  json["seconds"] = s.seconds;
  return stats_text(json);
}

}  // namespace

RunReport report_of(const DecodeSummary& s) {
  return {json_of(s), reading_warnings(s, "in the segment files"), text_of(s)};
}

}  // namespace warpmeter::inline command
