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

struct ReadSummary {
  DecodeCounters decode;
  TraceFindings findings;
  std::uint64_t passed_over = 0;    // files of folders that are no captures
  std::uint64_t folders_below = 0;  // that were not looked into
  std::uint64_t bytes_read = 0;
  bool interrupted = false;  // before its end; of a live capture that is none
  double seconds = 0;
  ExitStatus status = ExitStatus::ok;
};

// `interrupted`, or `damaged` if not all could be read.
ExitStatus status_of_reading(const ReadSummary& summary);

// Lines for the user: files that cannot be read, and damage. `place`: where what came before it is, as "in the output".
std::vector<std::string> reading_warnings(const ReadSummary& summary, std::string_view place);

}  // namespace warpmeter::inline pipeline
