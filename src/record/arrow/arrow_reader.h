// Flow Records that a program of the same process gives as an Arrow stream: the arrays of extract and show, or what
// polars, pandas, DuckDB and others made of them.
//
// Columns are known by their names (NamedColumns, flow_row.h); their types may be any that hold the values. With a
// column `labels`, a list of texts or a text, there are annotations (noted_columns.h). An array that does not keep to
// its schema, or contradicts itself, is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/noted_columns.h"
#include "core/record_reader.h"
#include "record/arrow/arrow_values.h"
#include "record/read/flow_row.h"

namespace warpmeter::inline record {

// Releases what it took over.
class ArrowStream {
 public:
  // `given` has no release() any more. `name`: for messages.
  ArrowStream(ArrowArrayStream& given, std::string name);
  ~ArrowStream();
  ArrowStream(const ArrowStream&) = delete;
  ArrowStream& operator=(const ArrowStream&) = delete;

  // These throw Error, with what the stream says. What is returned is for the caller to release.
  ArrowSchema schema();
  std::optional<ArrowArray> next();  // nothing at the end

  const std::string& name() const { return name_; }

 private:
  void check(int status);

  ArrowArrayStream stream_;
  const std::string name_;
};

class ArrowReader : public RecordReader {
 public:
  // Takes the stream over. Throws CaptureError, naming it, if its columns make no Flow Records.
  ArrowReader(ArrowArrayStream& stream, std::string name);
  ~ArrowReader() override;

  // Throws Error, naming it, for the first row that makes no sense.
  bool next(Biflow& flow) override;
  RecordLayout layout() const override { return layout_; }
  const std::optional<ReadDamage>& damage() const override { return no_damage_; }
  bool leaves_out_columns() const override { return noted_columns_.left_out(); }

 private:
  struct Column {
    Place place;
    ArrowType type;
    std::int64_t child;
  };

  // Of annotations.
  struct NotedColumn {
    std::uint32_t number;  // in noted_columns_
    ArrowType type;        // of the texts
    char list;             // 'l' or 'L', as in its format; 0: a text
    std::int64_t child;
  };

  void find_columns(const ArrowSchema& schema);
  void find_annotations(const ArrowSchema& schema, const NamedColumns& named);
  void take_annotations(std::int64_t row);
  void note(const NotedColumn& column, const ArrowArray& texts, std::int64_t row);
  static std::string problem_of(const NotedColumn& column, const ArrowArray* array, std::int64_t rows);
  void check(const ArrowArray& array) const;
  void add_column(const Place& place, const ArrowSchema& field, std::int64_t child);
  bool open_next_array();
  bool put(const Column& column, std::int64_t row);
  [[noreturn]] void refuse(const std::string& why) const;

  ArrowStream stream_;
  std::vector<Column> columns_;
  NotedColumns noted_columns_;
  std::vector<NotedColumn> noted_of_;
  Annotations noted_;          // of the flow
  std::int64_t children_ = 0;  // those of the schema
  RecordLayout layout_;
  std::optional<ArrowArray> array_;
  std::int64_t row_ = 0;         // of the array
  std::uint64_t rows_read_ = 0;  // of those before it
  FlowRow flow_row_;
  std::string why_;
  const std::optional<ReadDamage> no_damage_;
};

}  // namespace warpmeter::inline record
