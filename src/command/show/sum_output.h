// Where `show --sum` puts its rows: the keys, then sums.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/query/sums.h"
#include "command/show/row_target.h"

namespace warpmeter::inline command {

class SumOutput {
 public:
  // Throws Error (usage) if there is no such column.
  SumOutput(const ShowOptions& options, RowTarget target);

  void write(const std::vector<const SumRow*>& rows);

 private:
  void choose_columns(const std::vector<std::string>& names);
  void begin();
  std::vector<RowValue> values(const SumRow& row) const;

  const RowTarget target_;
  const std::vector<SumKey> keys_;
  const bool chosen_;  // the columns, by the user
  std::vector<SumColumn> columns_;
};

}  // namespace warpmeter::inline command
