#include "pipeline/run/read_summary.h"

#include <utility>

namespace warpmeter::inline pipeline {

ExitStatus status_of_reading(const ReadSummary& s) {
  if (s.interrupted) return ExitStatus::interrupted;
  return s.findings.damage.empty() && s.findings.unreadable.empty() ? ExitStatus::ok : ExitStatus::damaged;
}

std::vector<std::string> reading_warnings(const ReadSummary& s, std::string_view place) {
  std::vector<std::string> lines = s.findings.unreadable;
  const TraceFindings& found = s.findings;
  for (std::string& line : warnings_of(found.damage, found.skips, found.odd_fractions, place)) {
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace warpmeter::inline pipeline
