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
#include "analysis/query/sum_key.h"
#include "core/byte_sink.h"
#include "record/arrow/arrow_export.h"
#include "record/arrow/arrow_format.h"
#include "record/write/output_options.h"
#include "warpmeter/time_form.h"

namespace warpmeter::inline command {

// How times and lengths of time stand in text: as the options say, as seconds with decimals, or as 2026-01-31T12:00:00Z
// with them.
enum class TimeText : std::uint8_t { usual, seconds, utc };

struct RowColumn {
  std::string name;
  FieldType type = FieldType::number;
  int rank = 0;  // these three as of TableColumn
  bool shortens = false;
  bool warns = false;
  TimeText time_text = TimeText::usual;
  std::optional<TimeForm> times = {};  // of a time, or a length of it, whose name tells no unit
  std::string_view zeek_type = {};     // in a log of Zeek, if it does not follow from the type
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
std::unique_ptr<RowOutput> make_row_output(const OutputOptions& options, ByteSink& output);

// Values of fields in rows, and as text: short and with units for people, exact for programs.
enum class Audience : std::uint8_t { person, program };

// Times are in the form's unit.
RowValue field_value(Field field, const Biflow& flow, const Annotations& noted, TimeForm form);
RowValue key_value(const SumKey& key, const SumKeyValue& value, TimeForm form);
RowValue number_value(FieldType type, std::optional<std::int64_t> value, TimeForm form);
RowValue share_value(std::optional<double> share);  // or another number with a fraction

// "" where there is no value. For people, a counter of 0 is a dot, so that what happened stands out, and times are in
// ns.
std::string value_text(FieldType type, const RowValue& value, Audience audience, TimeForm form);

// What programs find above a column of that name: duration_ns for duration, start_us for start_ns; also of the
// keys of sums (start_ns/60s).
std::string name_in(TimeForm form, const std::string& name);

// What stands above a column of a table: short.
std::string field_title(const std::string& name);

// Not a number for any reader.
bool is_text(FieldType type, Audience audience, TimeForm form = TimeForm::ns);

std::string utc_text(std::int64_t nanoseconds);  // "2026-01-02 03:04:05.678"

// Of a name: other values than none are what a reader looks for.
bool tells_of_trouble(const std::string& name);

}  // namespace warpmeter::inline command
