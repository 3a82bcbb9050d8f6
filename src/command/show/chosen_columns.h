// Columns of Flow Records that a user chose: their names, and what stands below these. `show` writes rows of them, and
// so do all commands that write files of Flow Records, whose format is made here then.
//
// Threads: one may fill rows of each; fill() may be called by any, at once.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/query/field.h"
#include "command/show/column_names.h"
#include "command/show/row_output.h"
#include "core/byte_sink.h"
#include "core/extra_column.h"
#include "core/noted_columns.h"
#include "core/one_by_one_writer.h"
#include "core/record_layout.h"
#include "record/text/file_format.h"
#include "record/write/output_options.h"

namespace warpmeter::inline command {

// Names with commas between, of `option`. Throws Error (usage) of empty ones.
std::vector<std::string> split_columns(const std::string& option, const std::string& names);

// Whoever gets rows: a file, or a program that takes them itself.
struct RowTarget {
  Audience audience = Audience::program;
  TimeForm times = TimeForm::ns;
  std::unique_ptr<RowOutput> rows;
};

// Moments have types in Parquet, and are no text there. `output` must outlive what is returned.
RowTarget file_target(const OutputOptions& options, ByteSink& output);

class ChosenColumns {
 public:
  // `extra`: columns that files or options have beside those of Flow Records. Throws Error (usage) if there is no such
  // column, or one is there twice.
  ChosenColumns(const ColumnChoice& choice, const ExtraColumns& extra, Audience audience, TimeForm times);

  // All that Flow Records of this layout have, by the names of that naming; `format`: of the file.
  static ColumnChoice all_of(Naming naming, const RecordLayout& layout, Format format);

  // Throws Error (usage) if Flow Records of this layout never have one of them.
  // `all`: nobody chose them one by one; what a schema has stays then, though nothing may be known of it.
  void must_be_in(const RecordLayout& layout, bool all = false) const;

  // In place of none: a good choice for people, with what of it goes first on a narrow terminal.
  void choose_usual(const RecordLayout& layout);

  bool empty() const { return chosen_.empty(); }
  bool with_reverse() const { return with_reverse_; }  // then a reply has no line of its own
  std::vector<RowColumn> columns() const;
  std::vector<RowValue> values(const Biflow& flow, const Annotations& noted) const;

 private:
  struct Chosen {
    RowColumn column;
    std::string asked;                                   // the name by which the user knows it
    std::optional<Field> field = {};                     // the value is this,
    std::shared_ptr<const ExtraColumn> extra = nullptr;  // or this,
    const OtherValue* other = nullptr;                   // but in another form
  };

  void add(const std::string& name, const ExtraColumns& extra);
  void add_own(const std::string& name, const ExtraColumns& extra);
  void add_field(const std::string& asked, Field field, int rank = 0);
  void rename(std::size_t from, const std::string& only);
  void take_form(Chosen& chosen, bool keeps_unit) const;
  void refuse_twice() const;
  RowValue value(const Chosen& chosen, const Biflow& flow, const Annotations& noted) const;

  const Audience audience_;
  const TimeForm times_;
  const Naming naming_;
  std::vector<Chosen> chosen_;
  bool with_reverse_ = false;
};

// Rows of flows. On a table, the reply of a biflow has a row of its own, a little in.
class FlowRows {
 public:
  FlowRows(ChosenColumns columns, RowTarget target) : columns_(std::move(columns)), target_(std::move(target)) {}

  ChosenColumns& columns() { return columns_; }
  void begin() { target_.rows->begin(columns_.columns()); }
  void write(const Biflow& flow, const Annotations& noted);
  void end() { target_.rows->end(); }

 private:
  ChosenColumns columns_;
  RowTarget target_;
  OtherDirection other_direction_;
};

// Throws Error (usage) as must_be_in(). REQUIRES: CSV, JSON, Parquet or a table; the choice is not that of all.
std::unique_ptr<FileFormat> make_chosen_format(const OutputOptions& options, const RecordLayout& layout);

// The same for a program that takes rows itself.
std::unique_ptr<OneByOneWriter> make_chosen_writer(const OutputOptions& options, const RecordLayout& layout,
                                                   std::unique_ptr<RowOutput> rows);

}  // namespace warpmeter::inline command
