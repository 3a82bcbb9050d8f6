// Rows of named values, for people, for programs that read text, or for one that takes them itself: what is shown that
// is not simply whole Flow Records.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "analysis/query/field.h"
#include "base/files/output_file.h"
#include "record/arrow/arrow_export.h"
#include "record/arrow/arrow_format.h"
#include "record/write/output_options.h"

namespace warpmeter::inline command {

struct RowColumn {
  std::string name;
  FieldType type = FieldType::number;
  int rank = 0;  // these three as of TableColumn
  bool shortens = false;
  bool warns = false;
};

// Nothing, a whole number, a share, or text (of addresses, endpoints and annotations; of a list, with semicolons
// between its elements). Times in the unit that the column's name tells.
using RowValue = std::variant<std::monostate, std::int64_t, double, std::string>;

class RowOutput {
 public:
  virtual ~RowOutput() = default;
  virtual void begin(const std::vector<RowColumn>& columns) = 0;
  virtual void write(const std::vector<RowValue>& row) = 0;  // as many as columns
  virtual void end() {}
};

// Rows as Arrow has them, each column with its type, for whoever takes them some at a time.
class ArrowRowOutput : public RowOutput {
 public:
  void begin(const std::vector<RowColumn>& columns) override;
  void write(const std::vector<RowValue>& row) override;
  void end() override;

 private:
  static constexpr std::size_t kEnough = 1 << 20;  // bytes; whoever takes many small ones is slow

  virtual void know(const std::vector<ArrowField>& fields) = 0;  // first
  virtual void give(ArrowRows& rows) = 0;                        // perhaps without rows
  virtual void finish() = 0;                                     // last

  std::optional<ArrowRows> rows_;
};

// A table, CSV, JSON or Parquet, as the options say. Names and text hold nothing that would have to be quoted. `output`
// must outlive it.
std::unique_ptr<RowOutput> make_row_output(const OutputOptions& options, OutputFile& output);

}  // namespace warpmeter::inline command
