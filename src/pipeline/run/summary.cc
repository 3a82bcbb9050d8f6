#include "pipeline/run/summary.h"

#include <fmt/format.h>

#include "base/words/human_units.h"
#include "packet/decode/unread_words.h"
#include "pipeline/run/summary_parts.h"
#include "warpmeter/columns.h"
#include "warpmeter/end_reason.h"

namespace warpmeter::inline pipeline {

std::string end_reasons_text(const JoinCounters& join) {
  std::string text;
  for (std::size_t i = 1; i < kEndReasonWords.size(); ++i) {
    if (const auto n = join.flows_by_end_reason[i]) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kEndReasonWords[i], n);
    }
  }
  return text.empty() ? "none" : text;
}

std::string files_text(std::uint64_t n) { return fmt::format("{} {}", n, n == 1 ? "file" : "files"); }

std::string time_runs_back_text(const Summary& s) {
  constexpr std::size_t kMostNamed = 3;
  std::string text;
  for (const ClockRegression& t : s.findings.time_runs_back) {
    if (&t - s.findings.time_runs_back.data() == kMostNamed) break;
    text += fmt::format("{}by {} from {} to {}", text.empty() ? "" : ", ",
                        human_time(static_cast<double>(t.by_ns) / 1e9), t.from, t.to);
  }
  if (s.findings.time_runs_back_count > kMostNamed)
    text += fmt::format(", and {} more", s.findings.time_runs_back_count - kMostNamed);
  return text;
}

std::string folder_text(const Summary& s) {
  std::string text = fmt::format("{} read", s.files);
  if (s.files_damaged) text += fmt::format(", {} of them damaged", s.files_damaged);
  if (s.files_left) text += fmt::format(", {} left: still being written, or not read in time", s.files_left);
  return text;
}

std::string points_text(const std::vector<PointCounts>& points) {
  const std::size_t feeders = std::ranges::count_if(points, [](const auto& p) { return p.point.starts_with("shm:"); });
  if (feeders == 0) return human_number_of(points.size(), "interface");
  return feeders == points.size() ? human_number_of(feeders, "feeder")
                                  : fmt::format("{} interfaces and feeders", points.size());
}

std::string stages_text(const Summary& s) {
  std::string text = "  stages (seconds of all threads)\n";
  for (const auto& [stage, seconds] : s.stages) text += fmt::format("    {:<18}{:.3f}\n", stage, seconds);
  return text;
}

std::string exported_text(const ExportCounters& c) {
  std::string text = fmt::format("{} records in {} messages", c.records, c.messages);
  const auto remark = [&](std::uint64_t count, const char* what) {
    if (count) text += fmt::format(", {} {}", count, what);
  };
  remark(c.lost_records, "of the records lost");
  remark(c.refused_messages, "messages refused");
  remark(c.reconnects, "new connections");
  remark(c.repeated_records, "sent again");
  return text;
}

std::string frames_of_segments_text(std::span<const RingCounts> rings) {
  std::uint64_t cut = 0, uncut = 0;
  for (const RingCounts& ring : rings) {
    cut += ring.cut;
    uncut += ring.uncut;
  }
  std::string text;
  if (cut) text = fmt::format("{} cut as on the wire", cut);
  if (uncut) text += fmt::format("{}{} longer than the MTU, counted as one packet each", cut ? ", " : "", uncut);
  return text;
}

std::string ignored_text(const DecodeCounters& decode) {
  std::string text;
  for (int i = 0; i < kIgnoredReasons; ++i) {
    if (decode.ignored[i])
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", kIgnoredNames[i], decode.ignored[i]);
  }
  return text.empty() ? "none" : text;
}

std::string all_unread_text(const DecodeCounters& decode) {
  std::string text;
  const auto add = [&](const char* what, const NamedCounts& counts) {
    if (counts.total == 0) return;
    text += fmt::format("  {:<20}{}\n", what, counts.total);
    for (const auto& [name, count] : counts.names) text += fmt::format("    {:<30} {}\n", name, count);
    if (counts.others) text += fmt::format("    {:<30} {}\n", "others", counts.others);
  };
  add("not IP", not_ip_names(decode, kMostNames));
  add("tunnels not opened", unopened_names(decode, kMostNames));
  return text;
}

bool Summary::lost_some() const {
  const auto lost = [](const OutputLossCounts& output) { return !output.problem.empty(); };
  return !unread.empty() || (exported && !exported->problem.empty()) || std::ranges::any_of(outputs, lost);
}

std::string problem_of(const Summary& s) {
  for (const OutputLossCounts& output : s.outputs) {
    if (!output.problem.empty()) return output.problem;
  }
  if (!s.no_room.empty()) return s.no_room;
  if (!s.unread.empty()) return s.unread.front();
  if (s.exported && !s.exported->problem.empty()) return s.exported->problem;
  return s.not_deleted ? fmt::format("{} could not be deleted", files_text(s.not_deleted)) : "";
}

std::string losses_text(std::span<const RingCounts> rings, std::span<const PointCounts> points) {
  std::uint64_t full = 0, no_socket = 0, too_long = 0, hand_over_full = 0, before = 0;
  for (const RingCounts& ring : rings) {
    full += ring.ring_full;
    no_socket += ring.no_socket;
    too_long += ring.too_long;
    hand_over_full += ring.hand_over_full;
  }
  bool at_least = false;
  for (const PointCounts& point : points) {
    before += point.lost;
    at_least |= point.at_least;
  }
  std::string text =
      fmt::format("{} because a ring was full, {}{} by the interface", full, at_least ? "at least " : "", before);
  if (hand_over_full) text += fmt::format(", {} because the thread of their flow had no room", hand_over_full);
  if (no_socket) text += fmt::format(", {} because nobody takes their queue", no_socket);
  if (too_long) text += fmt::format(", {} because they were too long", too_long);
  return text;
}

std::string sample_text(const Summary& s) {
  if (!s.sample_changes) return s.sample_one_in > 1 ? fmt::format("1/{}", s.sample_one_in) : "";
  std::uint32_t rarest = 1;
  for (const SampleChange& change : *s.sample_changes) rarest = std::max(rarest, change.one_in);
  return fmt::format("1/{} at the end, 1/{} at the rarest, {}", s.sample_one_in, rarest,
                     human_number_of(s.sample_changes->size(), "change"));
}

std::string rounds_text(const Summary& s) {
  if (s.rounds_changes->empty()) return "";
  const std::uint32_t last = s.rounds_changes->back().most;
  const std::uint32_t least = std::ranges::min(*s.rounds_changes, {}, &RoundsChange::most).most;
  return fmt::format("{} at the end, at most {} at the least, {}",
                     last == RoundsBound::kNone ? "all" : fmt::format("at most {}", last), least,
                     human_number_of(s.rounds_changes->size(), "change"));
}

}  // namespace warpmeter::inline pipeline
