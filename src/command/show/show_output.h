// Where `show` puts flows and sums: whole Flow Records in a format, chosen fields of them, or rows of `--sum`; into a
// file, or to a program that takes them itself, or both.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/query/sums.h"
#include "base/files/output_file.h"
#include "command/show/chosen_columns.h"
#include "command/show/show.h"
#include "core/record_reader.h"

namespace warpmeter::inline command {

// A program that takes the rows. Its moments have types, so that no text of them is needed.
inline RowTarget program_target(const ShowOptions& options) {
  const TimeForm times = options.output.times == TimeForm::us ? TimeForm::us : TimeForm::ns;
  return {Audience::program, times, options.row_taker()};
}

// Flows.
class FlowOutput {
 public:
  virtual ~FlowOutput() = default;

  // `layout`: of all flows read so far. The columns of the output follow from that of the first call; throws Error if a
  // flow comes that does not fit into them.
  virtual void write(const Biflow& flow, const Annotations& noted, const RecordLayout& layout) = 0;
  virtual void end(const RecordLayout& layout) = 0;
};

// Throws Error (usage) if there is no such column, also among those of annotations that the files have. `output` must
// outlive it; null: there is no file.
std::unique_ptr<FlowOutput> make_flow_output(const ShowOptions& options, const ExtraColumns& of_files,
                                             OutputFile* output);

// Rows of `show --sum`: the keys, then sums.
class SumOutput {
 public:
  // Throws Error (usage) if there is no such column.
  SumOutput(const ShowOptions& options, RowTarget target);

  void write(const std::vector<const SumRow*>& rows);
  const std::vector<SumColumn>& columns() const { return columns_; }

 private:
  bool is_key(const std::string& name) const;
  void choose_columns(const std::vector<std::string>& names);
  void begin();
  std::vector<RowValue> values(const SumRow& row) const;

  const RowTarget target_;
  const std::vector<SumKey> keys_;
  std::vector<SumColumn> columns_;
  std::vector<int> ranks_;  // of these, if nobody chose them
};

}  // namespace warpmeter::inline command
