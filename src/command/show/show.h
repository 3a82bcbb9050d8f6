// `warpmeter show`, from files of Flow Records to what was asked of them: the straight line.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/query/filter.h"
#include "analysis/query/sort_order.h"
#include "analysis/query/sum_key.h"
#include "command/show/row_output.h"
#include "core/record_reader.h"
#include "record/read/flow_files.h"
#include "record/write/output_options.h"
#include "warpmeter/status.h"

namespace warpmeter::inline command {

// What the user asked of `warpmeter show`, parsed and with defaults filled in.
struct ShowOptions {
  std::vector<std::string> files;  // or folders, or names of rotated sets; "-" = standard input
  bool recursive = false;          // folders with those below them
  std::vector<std::string> geo;    // databases that tell where addresses are (geo_databases.h)
  OutputOptions output;            // a table is for people, the others whole Flow Records unless `columns` are chosen
  std::function<std::unique_ptr<RowOutput>()> row_taker;  // as output.taker, of rows
  std::optional<Filter> filter;                           // none = all flows
  bool aggregate = false;
  std::vector<SumKey> sum_keys;           // empty = flows, no sums
  std::optional<SumFilter> having;        // of sums; none = all
  std::optional<Filter> having_flows;     // of what `aggregate` made; none = all
  std::string sort;                       // "COLUMN[:asc|:desc]"; empty = as in the files, of sums by bytes
  std::string sort_option = kSortOption;  // that says so, for errors
  std::size_t top = 0;                    // 0 = all
  std::string top_per;                    // of sums, so many for each value of this key; empty = of all together
  std::vector<std::string> columns;       // empty = a good choice for people, all for programs
  bool quiet = false;
  bool progress = false;  // a line on the terminal tells how far reading is

  // A program takes what is shown, by both takers; output.file may be empty then.
  bool is_taken() const { return row_taker != nullptr; }
};

// What it came to.
struct ShowSummary {
  FilesRead read;
  std::uint64_t matching = 0;  // flows
  FlowRecord totals;           // of those, both directions
  std::uint32_t absent = 0;    // columns that no file has
  std::uint64_t rows = 0;
  std::uint64_t groups = 0;      // of sums: before --having and --top
  std::uint64_t labels_cut = 0;  // of --aggregate: flows that have more labels than are kept
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
