#include "command/packets/packets_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/words/human_units.h"
#include "pipeline/run/summary_list.h"

namespace warpmeter::inline command {
namespace {

// Of all: "1200 new, 3 retransmitted".
std::string verdicts_text(const VerdictCounts& counts) {
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[i], kVerdictWords[i]);
  }
  return text;
}

void add_verdicts(SummaryList& list, const VerdictCounts& counts) {
  std::array<const char*, kVerdictWords.size()> names;
  std::ranges::transform(kVerdictWords, names.begin(), [](std::string_view word) { return word.data(); });
  list.add_counts("verdicts", "verdicts", names, counts, verdicts_text(counts));
}

}  // namespace

RunReport report_of(const PacketsSummary& s) {
  SummaryList list;
  add_packets_read(list, s);
  add_unreadable(list, s);
  add_left_out(list, s);
  add_ignored(list, s);
  if (s.flows) {
    list.add("flows_selected", "flows selected", s.flows->selected,
             fmt::format("{} of {}", s.flows->selected, s.flows->flows));
    list.add_for_programs("flows", s.flows->flows);
  }
  const bool is_of_flows = s.features_of.has_value();
  const std::uint64_t written = s.features_of.value_or(s.packets_written);
  list.add(is_of_flows ? "flows_written" : "packets_written", is_of_flows ? "flows written" : "packets written",
           written, fmt::format("{} ({})", written, human_bytes(static_cast<double>(s.bytes_written))));
  list.add_for_programs("bytes_written", s.bytes_written);
  if (s.by_verdict) add_verdicts(list, *s.by_verdict);
  list.add_for_programs("evicted_flows", s.evicted_flows);
  add_skipped(list, s);
  add_damage(list, s);
  add_unread(list, s);
  add_odd_times(list, s);
  add_duration(list, s, true, "what was read until then is in the output");
  std::vector<std::string> warnings = warnings_of(s.flow_files, "in use");
  if (s.flows && s.flows->selected > 0 && written == 0) {
    warnings.push_back("no packet that was read belongs to a flow that is selected");
  } else if (s.flows && s.flows->selected == 0 && s.flows->flows > 0 && !s.flow_files.lacks_biflows) {
    warnings.push_back("no flow meets the filter: none is selected");
  }
  if (s.evicted_flows > 0) {
    warnings.push_back(
        fmt::format("{} left for want of memory: what was retransmitted thereafter counts as new (--memory)",
                    human_number_of(s.evicted_flows, "flow")));
  }
  for (std::string& line : reading_warnings(s, "in the output")) warnings.push_back(std::move(line));
  return {stats_text(list.json()), std::move(warnings), list.text()};
}

}  // namespace warpmeter::inline command
