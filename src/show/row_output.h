// Rows of named cells, for people or for programs: what is shown that is not simply whole Flow Records.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "export/output_file.h"
#include "output/output_options.h"

namespace warpmeter {

struct RowColumn {
  std::string name;
  bool is_text = false;  // to the left in a table, in quotes in JSON
  int rank = 0;          // these three as of TableColumn
  bool breaks = false;
  bool warns = false;
};

class RowOutput {
 public:
  virtual ~RowOutput() = default;
  virtual void begin(const std::vector<RowColumn>& columns) = 0;
  virtual void write(const std::vector<std::string>& cells) = 0;  // as many as columns; "" is nothing
  virtual void end() {}
};

// A table, CSV or JSON, as the options say. Names and cells hold nothing that would have to be quoted. `output` must
// outlive it.
std::unique_ptr<RowOutput> make_row_output(const OutputOptions& options, OutputFile& output);

}  // namespace warpmeter
