// `warpmeter report`, from files of Flow Records to one page to look at.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/page/page.h"
#include "core/record_reader.h"
#include "record/read/flow_files.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

struct ReportOptions {
  std::vector<std::string> inputs;  // files, folders or names of rotated sets; "-" is standard input
  bool recursive = false;           // folders with those below them
  std::vector<std::string> geo;     // as of `show`
  std::string filter;               // of flows, as of `show`; empty = all
  std::string output;               // "-" is standard output
  std::string title;
  std::size_t rows = 10;                        // of each list
  std::string stats_file;                       // of the run that metered the captures; empty = none
  std::string coalescing_file;                  // of a dry run of `coalesce` over them; empty = none
  bool quiet = false;                           // says nothing on standard error but what is wrong
  bool progress = false;                        // a line on the terminal tells how far reading is
  const std::atomic<bool>* gives_up = nullptr;  // as that of OutputOptions

  // Called before the page gets its name; what it throws leaves none behind. Empty: nothing.
  std::function<void()> before_page = {};
};

// What it came to.
struct ReportSummary {
  FilesRead read;
  ExitStatus status = ExitStatus::ok;
};

// The page appears under its name when it is complete. Damaged and unreadable input is told on standard error and on
// the page. Throws Error if the page cannot be made. When `interrupted` turns true, the page tells what was read until
// then.
ExitStatus report(const ReportOptions& options, const std::atomic<bool>& interrupted);

// The same, for those who want the summary and say nothing on standard error.
ReportSummary report_and_sum_up(const ReportOptions& options, const std::atomic<bool>& interrupted);

// The same of a reader in place of the inputs, which are one name for it, for messages.
ReportSummary report_from(std::unique_ptr<RecordReader> reader, const ReportOptions& options,
                          const std::atomic<bool>& interrupted);

// What the metering of captures had to say that a reader of its Flow Records should know, from what `extract --stats`
// wrote: inputs that could not be read, damage, time that runs back between files, packets without times or headers.
// In sentences; none if all was well. Of many alike the first are named. Throws Error, naming the file: it cannot be
// read, or is nothing that --stats writes.
std::vector<std::string> metering_remarks(const std::string& stats_file);

// What joining segments would save, from what `coalesce --dry-run --stats` wrote. Throws Error, likewise.
CoalescingSavings coalescing_savings(const std::string& stats_file);

}  // namespace warpmeter::inline command
