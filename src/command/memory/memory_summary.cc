#include "command/memory/memory_summary.h"

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

std::string text_of(const MemorySummary& s) {
  std::string text;
  const auto line = [&text](const char* what, const std::string& value) {
    text += fmt::format("  {:<20}{}\n", what, printable(value));
  };
  line("packets read", fmt::format("{} ({})", s.decode.frames, human_bytes(static_cast<double>(s.bytes_read))));
  line("IP packets", std::to_string(s.tables.packets));
  text += left_out_text({s.findings.unreadable.size(), s.passed_over, s.findings.files_again, s.folders_below});
  line("packets ignored", ignored_text(s.decode));
  if (s.findings.skips.places) line("skipped", text_of(s.findings.skips));
  text += unread_text(s.decode, false);
  if (s.findings.clamped_times) line("times out of range", human_number_of(s.findings.clamped_times, "packet"));
  if (s.findings.time_runs_back_count) {
    line("time runs back", fmt::format("{} between files; it stands still there",
                                       human_number_of(s.findings.time_runs_back_count, "time")));
  }
  line("time", fmt::format("{}, {} packets/s", human_time(s.seconds),
                           human_count(static_cast<double>(s.decode.frames) / std::max(s.seconds, 1e-9))));
  if (s.interrupted) line("interrupted", "the tables are of what was read until then");
  return text;
}

std::string json_of(const MemorySummary& s) {
  Json json = {{"exit status", static_cast<int>(s.status)},
               {"packets read", s.decode.frames},
               {"bytes read", s.bytes_read},
               {"IP packets", s.tables.packets},
               {"times out of range", s.findings.clamped_times},
               {"time runs back", s.findings.time_runs_back_count},
               {"joined ranges", s.tables.joined_ranges},
               {"forgotten connections", s.tables.forgotten},
               {"connections ended early", s.tables.ended_early},
               {"damage", damage_json(s.findings.damage)},
               {"skipped", skips_json(s.findings.skips)},
               {"fractions out of range", odd_fractions_json(s.findings.odd_fractions)},
               {"unreadable", s.findings.unreadable},
               {"passed over", s.passed_over},
               {"read before under another name", s.findings.files_again},
               {"folders below not read", s.folders_below},
               {"interrupted", s.interrupted},
               {"seconds", s.seconds}};
  add_unread(json, s.decode);
  return stats_text(json);
}

}  // namespace

RunReport report_of(const MemorySummary& s) { return {json_of(s), reading_warnings(s, "in the tables"), text_of(s)}; }

}  // namespace warpmeter::inline command
