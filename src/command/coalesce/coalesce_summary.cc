#include "command/coalesce/coalesce_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/words/human_units.h"
#include "pipeline/run/summary_list.h"

namespace warpmeter::inline command {
namespace {

double ratio(std::uint64_t of, std::uint64_t to) {
  return to == 0 ? 0.0 : static_cast<double>(of) / static_cast<double>(to);
}

// Of packets that came, so many are left.
std::uint64_t left_of(const CoalesceSummary& s, const CoalescerCounters& c) {
  const std::uint64_t ignored = s.decode.ignored[static_cast<std::size_t>(Ignored::filtered_out)];
  return s.decode.frames - ignored - c.joined + c.super_packets;
}

// Those that are not 0, the largest first.
std::string counts_text(std::span<const std::uint64_t> counts, std::span<const char* const> names) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return counts[i]; });
  std::string text;
  for (const std::size_t i : order) {
    std::string name = names[i];
    std::ranges::replace(name, '_', ' ');
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, counts[i]);
  }
  return text;
}

void add_counts(SummaryList& list, const char* key, const char* label, std::span<const std::uint64_t> counts,
                std::span<const char* const> names) {
  list.add_counts(key, label, names, counts, counts_text(counts, names));
}

std::string joined_text(const CoalescerCounters& c) {
  if (c.super_packets == 0) return "none";
  return fmt::format("{} in {}, {:.1f} each; {} of headers saved", c.joined,
                     human_number_of(c.super_packets, "super-packet"), ratio(c.joined, c.super_packets),
                     human_bytes(static_cast<double>(c.saved_bytes)));
}

void add_joined(SummaryList& list, const CoalesceSummary& s) {
  const CoalescerCounters& c = s.counters;
  list.add("joined", "packets joined", c.joined, joined_text(c));
  list.add_for_programs("super_packets", c.super_packets);
  list.add_for_programs("packets_per_super_packet", ratio(c.joined, c.super_packets));
  list.add_for_programs("saved_bytes", c.saved_bytes);
  const auto passes = passes_of(s);
  add_counts(list, "passed", "passed untouched", passes, kPassReasonNames);
  const std::size_t reasons = s.inline_counts ? kFlushReasons : kFlushReasonsOfFiles;
  add_counts(list, "flushes", "lists left by", {c.flushes.data(), reasons}, kFlushReasonNames);
}

constexpr std::array<const char*, 5> kLossNames = {"ring_full", "too_long", "output_full", "output_down", "refused"};

// By place, of one direction.
void add_lost(SummaryList& list, const char* key, const char* label, std::uint64_t ring_full, std::uint64_t too_long,
              const WriteCounts& written) {
  const std::array<std::uint64_t, 5> lost = {ring_full, too_long, written.full, written.down, written.refused};
  add_counts(list, key, label, lost, kLossNames);
}

void add_inline(SummaryList& list, const CoalesceSummary& s) {
  const InlineCounts& c = *s.inline_counts;
  const std::uint64_t repeats = s.counters.dropped;
  list.add("dropped_repeats", "repeated, dropped", repeats, repeats ? human_number_of(repeats, "packet") : "");
  add_lost(list, "lost", "packets lost", c.ring_full, c.too_long, c.out);
  list.add("returned", "sent back", c.returned.frames,
           fmt::format("{} ({})", c.returned.frames, human_bytes(static_cast<double>(c.returned.bytes))));
  list.add_for_programs("returned_bytes", c.returned.bytes);
  add_lost(list, "lost_on_return", "lost on the way back", c.returned_ring_full, c.returned_too_long, c.returned);
  if (!c.why_ended.empty()) list.add_for_programs("error", c.why_ended);
}

void add_what_if(SummaryList& list, const CoalesceSummary& s) {
  for (const CoalesceSummary::WhatIf& one : s.what_if) {
    const CoalescerCounters& c = one.counters;
    SummaryList row;
    row.add_for_programs("threshold", one.threshold);
    row.add_for_programs("timeout_intervals", one.timeout_intervals);
    row.add_for_programs("packets", left_of(s, c));
    row.add_for_programs("super_packets", c.super_packets);
    row.add_for_programs("joined", c.joined);
    row.add_for_programs("packets_per_super_packet", ratio(c.joined, c.super_packets));
    row.add_for_programs("saved_bytes", c.saved_bytes);
    list.add_row("what_if", row);
  }
}

}  // namespace

std::array<std::uint64_t, kPassReasons> passes_of(const CoalesceSummary& s) {
  std::array<std::uint64_t, kPassReasons> passes = s.passes;
  passes[static_cast<std::size_t>(PassReason::repeated)] += s.counters.repeated - s.counters.dropped;
  return passes;
}

RunReport report_of(const CoalesceSummary& s) {
  const bool dry = !s.what_if.empty();
  SummaryList list;
  add_packets_read(list, s);
  add_unreadable(list, s);
  add_left_out(list, s);
  add_ignored(list, s);
  if (dry) {
    add_counts(list, "passed", "passed untouched", s.passes, kPassReasonNames);
    add_what_if(list, s);
  } else {
    list.add("packets_written", "packets written", s.packets_written,
             fmt::format("{} ({})", s.packets_written, human_bytes(static_cast<double>(s.bytes_written))));
    list.add_for_programs("bytes_written", s.bytes_written);
    add_joined(list, s);
    if (s.inline_counts) add_inline(list, s);
  }
  add_skipped(list, s);
  add_damage(list, s);
  add_odd_times(list, s);
  const char* const place = dry ? "in the table" : "in the output";
  add_duration(list, s, true, fmt::format("what was read until then is {}", place));
  std::vector<std::string> warnings = reading_warnings(s, place);
  if (s.inline_counts && !s.inline_counts->why_ended.empty()) warnings.push_back(s.inline_counts->why_ended);
  return {stats_text(list.json()), std::move(warnings), list.text()};
}

std::string what_if_table(const CoalesceSummary& s) {
  std::string text = fmt::format("{:>9} {:>7} {:>11} {:>5} {:>13} {:>6} {:>12}\n", "THRESHOLD", "TIMEOUT", "PACKETS",
                                 "SAVED", "SUPER-PACKETS", "EACH", "BYTES SAVED");
  for (const CoalesceSummary::WhatIf& row : s.what_if) {
    const CoalescerCounters& c = row.counters;
    const std::uint64_t left = left_of(s, c), saved = c.joined - c.super_packets;
    text += fmt::format("{:>8}K {:>6}x {:>11} {:>4.0f}% {:>13} {:>6.1f} {:>12}\n", row.threshold >> 10,
                        row.timeout_intervals, left, 100 * ratio(saved, left + saved), c.super_packets,
                        ratio(c.joined, c.super_packets), c.saved_bytes);
  }
  return text;
}

}  // namespace warpmeter::inline command
