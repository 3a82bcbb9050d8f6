// What reading packets came to, and how the run ended: the part of its summary that every command has.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/counters.h"
#include "packet/file/trace_findings.h"
#include "warpmeter/status.h"

namespace warpmeter::inline pipeline {

class SummaryList;

struct ReadSummary {
  DecodeCounters decode;
  TraceFindings findings;
  std::uint64_t passed_over = 0;            // files of folders that are no captures
  std::uint64_t folders_below = 0;          // that were not looked into
  const char* reads_below = "--recursive";  // what looks into these, for people
  std::uint64_t bytes_read = 0;
  bool interrupted = false;  // before its end; of a live capture that is none
  double seconds = 0;
  ExitStatus status = ExitStatus::ok;
};

// `interrupted`, or `damaged` if not all could be read.
ExitStatus status_of_reading(const ReadSummary& summary);

// Lines for the user: files that cannot be read, and damage. `place`: where what came before it is, as "in the output".
std::vector<std::string> reading_warnings(const ReadSummary& summary, std::string_view place);

// The facts of it (summary_list.h) that all summaries have, each where it stands among the others: the exit status,
// packets and bytes; files that cannot be read; others that nothing was read of; packets that were not taken; what
// --resync passed over; damage, for programs; times.
void add_packets_read(SummaryList& list, const ReadSummary& summary);
void add_unreadable(SummaryList& list, const ReadSummary& summary);
void add_left_out(SummaryList& list, const ReadSummary& summary);
void add_ignored(SummaryList& list, const ReadSummary& summary);
void add_unread(SummaryList& list, const ReadSummary& summary);
void add_skipped(SummaryList& list, const ReadSummary& summary);
void add_damage(SummaryList& list, const ReadSummary& summary);
// `meanwhile`: what was done where time ran back, such as "; it stands still there".
void add_odd_times(SummaryList& list, const ReadSummary& summary, std::string_view meanwhile = "");
// `rate`: whether bits are counted as well as packets. `after`: what there is of what was read, if it was interrupted.
void add_duration(SummaryList& list, const ReadSummary& summary, bool rate, std::string_view after);

}  // namespace warpmeter::inline pipeline
