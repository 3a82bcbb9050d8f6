#include "pipeline/run/read_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/words/human_units.h"
#include "packet/decode/unread_words.h"
#include "pipeline/run/summary.h"
#include "pipeline/run/summary_list.h"

namespace warpmeter::inline pipeline {
namespace {

std::string files_or_none(std::uint64_t n, std::string_view what = "") {
  return n == 0 ? "" : fmt::format("{} {}{}", n, n == 1 ? "file" : "files", what);
}

std::string names_text(const NamedCounts& counts) { return counts.total == 0 ? "" : text_of(counts); }

}  // namespace

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

void add_packets_read(SummaryList& list, const ReadSummary& s) {
  list.add_for_programs("exit_status", static_cast<int>(s.status));
  list.add("packets_read", "packets read", s.decode.frames,
           fmt::format("{} ({})", s.decode.frames, human_bytes(static_cast<double>(s.bytes_read))));
  list.add_for_programs("bytes_read", s.bytes_read);
}

void add_unreadable(SummaryList& list, const ReadSummary& s) {
  list.add("unreadable", "unreadable", s.findings.unreadable, files_or_none(s.findings.unreadable.size()));
}

void add_left_out(SummaryList& list, const ReadSummary& s) {
  const std::uint64_t again = s.findings.files_again;
  list.add("passed_over", "passed over", s.passed_over, files_or_none(s.passed_over, " without captures"));
  list.add("read_before_under_another_name", "read before", again, files_or_none(again, " under another name"));
  list.add("folders_below_not_read", "folders below", s.folders_below,
           s.folders_below ? fmt::format("{} not read ({})", s.folders_below, s.reads_below) : "");
}

void add_ignored(SummaryList& list, const ReadSummary& s) {
  list.add("ignored", "packets ignored", ignored_json(s.decode), ignored_text(s.decode));
}

void add_unread(SummaryList& list, const ReadSummary& s) {
  const auto add = [&list](std::string_view key, std::string_view label, const auto& names_of) {
    list.add(key, label, names_json(names_of(kMostNames)), names_text(names_of(kFewNames)));
  };
  add("not_ip", "not IP", [&s](std::size_t most) { return not_ip_names(s.decode, most); });
  add("tunnels_not_opened", "tunnels not opened", [&s](std::size_t most) { return unopened_names(s.decode, most); });
}

void add_skipped(SummaryList& list, const ReadSummary& s) {
  list.add("skipped", "skipped", skips_json(s.findings.skips),
           s.findings.skips.places ? text_of(s.findings.skips) : "");
}

void add_damage(SummaryList& list, const ReadSummary& s) {
  list.add_for_programs("damage", damage_json(s.findings.damage));
  list.add_for_programs("fractions_out_of_range", odd_fractions_json(s.findings.odd_fractions));
}

void add_odd_times(SummaryList& list, const ReadSummary& s, std::string_view meanwhile) {
  const std::uint64_t clamped = s.findings.clamped_times, back = s.findings.time_runs_back_count;
  list.add("times_out_of_range", "times out of range", clamped, clamped ? human_number_of(clamped, "packet") : "");
  list.add("time_runs_back", "time runs back", back,
           back ? fmt::format("{} between files{}", human_number_of(back, "time"), meanwhile) : "");
}

void add_duration(SummaryList& list, const ReadSummary& s, bool rate, std::string_view after) {
  const double seconds = std::max(s.seconds, 1e-9);
  std::string text = fmt::format("{}, {} packets/s", human_time(s.seconds),
                                 human_count(static_cast<double>(s.decode.frames) / seconds));
  if (rate) text += ", " + human_bit_rate(static_cast<double>(s.bytes_read) / seconds);
  list.add("seconds", "time", s.seconds, text);
  list.add("interrupted", "interrupted", s.interrupted, s.interrupted ? after : "");
}

}  // namespace warpmeter::inline pipeline
