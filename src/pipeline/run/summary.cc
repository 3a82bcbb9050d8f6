#include "pipeline/run/summary.h"

#include <fmt/format.h>

#include "base/words/human_units.h"
#include "base/words/printable.h"
#include "packet/decode/unread_words.h"
#include "warpmeter/columns.h"
#include "warpmeter/end_reason_words.h"

namespace warpmeter::inline pipeline {
namespace {

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
  for (const TimeRunsBack& t : s.findings.time_runs_back) {
    if (&t - s.findings.time_runs_back.data() == kMostNamed) break;
    text += fmt::format("{}by {} from {} to {}", text.empty() ? "" : ", ",
                        human_time(static_cast<double>(t.by_ns) / 1e9), t.from, t.to);
  }
  if (s.findings.time_runs_back_count > kMostNamed)
    text += fmt::format(", and {} more", s.findings.time_runs_back_count - kMostNamed);
  return text;
}

// Things that happen rarely and should be seen when they do.
std::string remarks_text(const Summary& s) {
  std::string text;
  const auto remark = [&text](std::uint64_t n, const char* what) {
    if (n) text += fmt::format("  {:<19} {}\n", what, n);
  };
  remark(s.decode.short_transport_headers, "short headers");
  remark(s.decode.malformed_segments, "malformed segments");
  remark(s.decode.decapsulated, "taken out of tunnels");
  if (s.meter.evicted) {
    text += fmt::format("  {:<20}{}; of these, retransmissions and missing bytes are incomplete (--memory)\n",
                        "evicted flows", s.meter.evicted);
  }
  remark(s.join.evicted_joined, "evicted and joined");
  remark(s.meter.left_sample, "left the sample");
  remark(s.join.late_packets, "late packets");
  if (s.method == Method::exact) {
    remark(s.totals.stray_segments, "stray segments");
    remark(s.meter.jumps, "sequence jumps");
  }
  remark(s.meter.dropped_holes, "holes dropped");
  remark(s.meter.on_cpu, "metered on the CPU");
  remark(s.runs_written, "runs written");
  return text;
}

std::string folder_text(const Summary& s) {
  std::string text = fmt::format("{} read", s.files);
  if (s.files_damaged) text += fmt::format(", {} of them damaged", s.files_damaged);
  if (s.files_left) text += fmt::format(", {} left: still being written, or not read in time", s.files_left);
  return text;
}

// "2 interfaces and feeders": of these only what there is.
std::string points_text(const std::vector<PointCounts>& points) {
  const std::size_t feeders = std::ranges::count_if(points, [](const auto& p) { return p.point.starts_with("shm:"); });
  if (feeders == 0) return human_number_of(points.size(), "interface");
  return feeders == points.size() ? human_number_of(feeders, "feeder")
                                  : fmt::format("{} interfaces and feeders", points.size());
}

// What the user should know of the inputs before believing the figures.
std::string input_text(const Summary& s) {
  std::string text;
  const auto line = [&text](const char* what, const std::string& value) {
    text += fmt::format("  {:<20}{}\n", what, value);
  };
  if (s.files || s.files_left) line("files", folder_text(s));
  if (!s.findings.unreadable.empty() && s.points.empty()) {
    line("unreadable", files_text(s.findings.unreadable.size() + s.unreadable_beyond));
  } else if (!s.findings.unreadable.empty()) {
    line("gone", fmt::format("{} of {}", s.findings.unreadable.size(), points_text(s.points)));
  }
  if (s.changed) line("changed", files_text(s.changed) + " after being read");
  if (s.not_deleted) line("not deleted", files_text(s.not_deleted) + " (--delete-after)");
  if (s.folder_is_gone) line("folder", "gone");
  text += left_out_text({0, s.passed_over, s.findings.files_again, s.folders_below, s.reads_below});
  if (s.findings.skips.places) line("skipped", text_of(s.findings.skips));
  if (s.findings.clamped_times) {
    line("times out of range",
         human_number_of(s.findings.clamped_times, "packet") + "; metered at the year 1823 or 2116");
  }
  if (s.findings.time_runs_back_count) line("time runs back", printable(time_runs_back_text(s)));
  if (const std::uint64_t n = s.decode.cut_tcp_headers) {
    text +=
        fmt::format("  TCP header cut short in {}, on the wire already: retransmissions there could not be counted\n",
                    human_number_of(n, "packet"));
  }
  if (const std::uint64_t n = s.decode.uncaptured_tcp_headers) {
    line("TCP headers cut off", fmt::format("of {}, by too short a snap length: their retransmissions could not "
                                            "be counted",
                                            human_number_of(n, "packet")));
  }
  return text;
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

}  // namespace

std::string left_out_text(const FilesLeftOut& left_out) {
  std::string text;
  const auto line = [&text](const char* what, const std::string& value) {
    text += fmt::format("  {:<20}{}\n", what, value);
  };
  if (left_out.unreadable) line("unreadable", files_text(left_out.unreadable));
  if (left_out.passed_over) line("passed over", files_text(left_out.passed_over) + " without captures");
  if (left_out.read_before) line("read before", files_text(left_out.read_before) + " under another name");
  if (left_out.folders_below) {
    line("folders below", fmt::format("{} not read ({})", left_out.folders_below, left_out.reads_below));
  }
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

std::string unread_text(const DecodeCounters& decode, bool all) {
  std::string text;
  const auto add = [&](const char* what, const NamedCounts& counts) {
    if (counts.total == 0) return;
    if (!all) {
      text += fmt::format("  {:<20}{}\n", what, text_of(counts));
      return;
    }
    text += fmt::format("  {:<20}{}\n", what, counts.total);
    for (const auto& [name, count] : counts.names) text += fmt::format("    {:<30} {}\n", name, count);
    if (counts.others) text += fmt::format("    {:<30} {}\n", "others", counts.others);
  };
  const std::size_t most = all ? kMostNames : kFewNames;
  add("not IP", not_ip_names(decode, most));
  add("tunnels not opened", unopened_names(decode, most));
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

namespace {

std::string sample_text(const Summary& s) {
  if (!s.sample_changes) return s.sample_one_in > 1 ? fmt::format("1/{}", s.sample_one_in) : "";
  std::uint32_t rarest = 1;
  for (const SampleChange& change : *s.sample_changes) rarest = std::max(rarest, change.one_in);
  return fmt::format("1/{} at the end, 1/{} at the rarest, {}", s.sample_one_in, rarest,
                     human_number_of(s.sample_changes->size(), "change"));
}

}  // namespace

std::string summary_text(const Summary& s, bool with_stages, bool verbose) {
  std::string text;
  const auto line = [&text](const char* what, const std::string& value) {
    text += fmt::format("  {:<20}{}\n", what, printable(value));
  };
  line("packets read", fmt::format("{} ({})", s.decode.frames, human_bytes(static_cast<double>(s.bytes_read))));
  if (!s.rings.empty()) line("packets lost", losses_text(s.rings, s.points));
  if (const std::string text_of_frames = frames_of_segments_text(s.rings); !text_of_frames.empty()) {
    line("frames of segments", text_of_frames);
  }
  line("packets metered", std::to_string(s.decode.metered));
  line("packets ignored", ignored_text(s.decode));
  if (const std::string sample = sample_text(s); !sample.empty()) line("sample of flows", sample);
  text += unread_text(s.decode, verbose);
  line("duplicates", std::to_string(s.meter.duplicate_packets));
  line("retransmitted", human_number_of(s.totals.retransmitted_segments, "segment") + ", " +
                            human_number_of(s.totals.retransmitted_bytes, "byte"));
  if (s.method == Method::five_tuple) {
    line("method", "five-tuple, memory blocks of " + human_number_of(s.block, "packet"));
  } else {
    line("out of order", human_number_of(s.totals.out_of_order_segments, "segment"));
    line("missing", human_number_of(s.totals.missing_bytes, "byte"));
  }
  line("flows", end_reasons_text(s.join));
  line("flow records", std::to_string(s.rows));
  if (const std::string lost = text_of(s.outputs); !lost.empty()) line("not written", lost);
  if (s.exported) line("exported", exported_text(s.exported->counters));
  if (s.streams) line("streams", streams_text(*s.streams));
  text += input_text(s) + remarks_text(s);
  line("time", fmt::format("{}, {} packets/s", human_time(s.seconds),
                           human_count(static_cast<double>(s.decode.frames) / std::max(s.seconds, 1e-9))));
  if (s.interrupted) {
    line("interrupted", s.lost_some() ? "nothing more was read" : "what was read until then is in the output");
  }
  line("backend", fmt::format("{}, {}{}", s.backend, human_number_of(s.threads, "thread"),
                              s.is_backend_remark ? " (" + s.backend_reason + ")" : ""));
  if (with_stages) text += stages_text(s);
  return text;
}

}  // namespace warpmeter::inline pipeline
