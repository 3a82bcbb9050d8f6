// What the user asked of `warpmeter show`, parsed and with defaults filled in.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/query/filter.h"
#include "analysis/query/sort_order.h"
#include "analysis/query/sum_key.h"
#include "command/show/row_output.h"
#include "record/write/output_options.h"

namespace warpmeter::inline command {

struct ShowOptions {
  std::vector<std::string> files;  // or folders, or names of rotated sets; "-" = standard input
  bool recursive = false;          // folders with those below them
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
  std::vector<std::string> columns;       // empty = a good choice for people, all for programs
  bool quiet = false;

  // A program takes what is shown, by both takers; output.file may be empty then.
  bool is_taken() const { return row_taker != nullptr; }
};

}  // namespace warpmeter::inline command
