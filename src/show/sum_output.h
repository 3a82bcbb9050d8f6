// Where `show --sum` puts its rows: the keys, then sums.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "query/sums.h"
#include "show/field_text.h"
#include "show/row_output.h"
#include "show/show_options.h"

namespace warpmeter {

class SumOutput {
 public:
  // Throws Error (usage) if there is no such column. `output` must outlive it.
  SumOutput(const ShowOptions& options, OutputFile& output);

  void write(const std::vector<const SumRow*>& rows);

 private:
  void choose_columns(const std::vector<std::string>& names);
  void begin();
  std::vector<std::string> cells(const SumRow& row) const;

  const Audience audience_;
  const TimeForm times_;
  const std::vector<SumKey> keys_;
  const bool chosen_;  // the columns, by the user
  std::vector<SumColumn> columns_;
  const std::unique_ptr<RowOutput> rows_;
};

}  // namespace warpmeter
