// `warpmeter show`, from files of Flow Records to what was asked of them: the straight line.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "command/show/show_options.h"
#include "core/record_reader.h"
#include "record/read/flow_files.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// What it came to.
struct ShowSummary {
  FilesRead read;
  std::uint64_t matching = 0;  // flows
  FlowRecord totals;           // of those, both directions
  std::uint32_t absent = 0;    // columns that no file has
  std::uint64_t rows = 0;
  std::uint64_t groups = 0;  // of sums: before --having and --top
  ExitStatus status = ExitStatus::ok;
};

// Reads until the end or until `interrupted` turns true; either way the output is complete and valid. Damage and a line
// about what was shown go to standard error. Throws Error if it cannot be done or finished.
ExitStatus show(const ShowOptions& options, const std::atomic<bool>& interrupted);

// The same, for those who want the summary and say nothing on standard error.
ShowSummary show_and_sum_up(const ShowOptions& options, const std::atomic<bool>& interrupted);

// The same of a reader in place of the files, by a name for messages.
ShowSummary show_from(std::unique_ptr<RecordReader> reader, std::string name, const ShowOptions& options,
                      const std::atomic<bool>& interrupted);

}  // namespace warpmeter::inline command
