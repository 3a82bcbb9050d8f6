#include "command/show/row_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "core/typed_columns.h"
#include "record/parquet/parquet_files.h"
#include "record/text/text_table.h"
#include "record/text/value_text.h"

namespace warpmeter::inline command {
namespace {

// All decimals that the unit has: exactly the number that it was.
std::string seconds_text(std::int64_t value, bool us) {
  constexpr std::uint64_t kUs = 1'000'000, kNs = 1'000'000'000;
  const std::uint64_t second = us ? kUs : kNs;
  const auto size = value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
  return fmt::format("{}{}.{:0{}}", value < 0 ? "-" : "", size / second, size % second, us ? 6 : 9);
}

std::string moment_text(std::int64_t value, bool us) {
  char text[kUtcText];
  return {text, write_utc(text, us ? value * kNsPerUs : value)};
}

// Rows become text, for whoever that is for.
class TextRows : public RowOutput {
 public:
  TextRows(Audience audience, TimeForm times) : audience_(audience), times_(times) {}

  void begin(const std::vector<RowColumn>& columns) override {
    columns_ = columns;
    begin_text(columns);
  }
  void write(const std::vector<RowValue>& row) override {
    std::vector<std::string> cells;
    cells.reserve(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.push_back(text_of(columns_[i], row[i]));
    }
    write_text(std::move(cells));
  }

 protected:
  virtual void begin_text(const std::vector<RowColumn>& columns) = 0;
  virtual void write_text(std::vector<std::string> cells) = 0;  // "" is nothing
  // To the left in a table, in quotes in JSON.
  bool is_text(const RowColumn& column) const {
    if (column.time_text != TimeText::usual) return column.time_text == TimeText::utc;
    return warpmeter::is_text(column.type, audience_, times_);
  }

 private:
  std::string text_of(const RowColumn& column, const RowValue& value) const {
    const auto* const time = std::get_if<std::int64_t>(&value);
    if (!time || column.time_text == TimeText::usual) return value_text(column.type, value, audience_, times_);
    const bool us = column.times == TimeForm::us;
    return column.time_text == TimeText::seconds ? seconds_text(*time, us) : moment_text(*time, us);
  }

  const Audience audience_;
  const TimeForm times_;
  std::vector<RowColumn> columns_;
};

class Table : public TextRows {
 public:
  Table(ByteSink& output, TableStyle style)
      : TextRows(Audience::person, TimeForm::ns), output_(output), style_(style) {}

  void end() override { table_->end(); }

 private:
  void begin_text(const std::vector<RowColumn>& columns) override {
    std::vector<TableColumn> of_table;
    for (const RowColumn& c : columns) of_table.push_back({c.name, is_text(c), c.rank, c.shortens, c.warns});
    table_.emplace(std::move(of_table), style_,
                   [this](std::string_view line) { output_.write(line.data(), line.size()); });
  }
  void write_text(std::vector<std::string> cells) override { table_->add(std::move(cells)); }

  ByteSink& output_;
  const TableStyle style_;
  std::optional<TextTable> table_;
};

class Csv : public TextRows {
 public:
  Csv(ByteSink& output, TimeForm times) : TextRows(Audience::program, times), output_(output) {}

 private:
  void begin_text(const std::vector<RowColumn>& columns) override {
    std::vector<std::string> names;
    for (const RowColumn& column : columns) names.push_back(column.name);
    write_text(std::move(names));
  }
  void write_text(std::vector<std::string> cells) override {
    const std::string line = fmt::format("{}\n", fmt::join(cells, ","));
    output_.write(line.data(), line.size());
  }

  ByteSink& output_;
};

class Json : public TextRows {
 public:
  Json(ByteSink& output, TimeForm times) : TextRows(Audience::program, times), output_(output) {}

 private:
  struct Named {
    std::string name;
    bool is_text, is_list;
  };
  void begin_text(const std::vector<RowColumn>& columns) override {
    for (const RowColumn& column : columns)
      named_.push_back({column.name, is_text(column), column.type == FieldType::texts});
  }
  void write_text(std::vector<std::string> cells) override {
    std::string line = "{";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      line += fmt::format("{}\"{}\":{}", i ? "," : "", named_[i].name, value_of(named_[i], cells[i]));
    }
    line += "}\n";
    output_.write(line.data(), line.size());
  }
  static std::string value_of(const Named& column, const std::string& cell) {
    if (column.is_list) return cell.empty() ? "[]" : fmt::format("[{}]", quoted(cell, "\",\""));
    if (cell.empty()) return "null";
    return column.is_text ? quoted(cell, ";") : cell;
  }
  static std::string quoted(std::string_view text, std::string_view semicolon) {
    std::string to = "\"";
    for (const char c : text) {
      if (c == ';') to += semicolon;
      else (c == '\\' ? to += '\\' : to) += c;
    }
    return to += '"';
  }

  ByteSink& output_;
  std::vector<Named> named_;
};

std::string_view zeek_type_of(const RowColumn& column) {
  if (!column.zeek_type.empty()) return column.zeek_type;
  if (column.time_text == TimeText::seconds) return column.type == FieldType::time ? "time" : "interval";
  switch (column.type) {
    case FieldType::address: return "addr";
    case FieldType::port: return "port";
    case FieldType::share:
    case FieldType::decimal: return "double";
    case FieldType::endpoint:
    case FieldType::text: return "string";
    case FieldType::texts: return "set[string]";
    default: return "count";
  }
}

// A log of Zeek: lines that tell the names and types of columns, then values with tabs between.
class ZeekLog : public TextRows {
 public:
  ZeekLog(ByteSink& output, TimeForm times) : TextRows(Audience::program, times), output_(output) {}

 private:
  void begin_text(const std::vector<RowColumn>& columns) override {
    std::string names, types;
    for (const RowColumn& column : columns) {
      names.append("\t").append(column.name);
      types.append("\t").append(zeek_type_of(column));
      is_set_.push_back(column.type == FieldType::texts);
    }
    const std::string header =
        "#separator \\x09\n#set_separator\t,\n#empty_field\t(empty)\n#unset_field\t-\n#path\tconn\n#fields" + names +
        "\n#types" + types + "\n";
    static_assert(header_lines(Format::zeek) == 7);
    output_.write(header.data(), header.size());
  }
  void write_text(std::vector<std::string> cells) override {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      std::string& cell = cells[i];
      if (is_set_[i]) std::ranges::replace(cell, ';', ',');
      if (cell == "-") cell = "\\x2d";  // which is a value
      if (cell.empty()) cell = "-";
    }
    const std::string line = fmt::format("{}\n", fmt::join(cells, "\t"));
    output_.write(line.data(), line.size());
  }

  ByteSink& output_;
  std::vector<bool> is_set_;
};

// `typed`: lengths of time have a type of their own, since the name does not tell their unit.
std::string_view format_by_type(FieldType type, bool us, bool typed) {
  switch (type) {
    case FieldType::address:
    case FieldType::text:
    case FieldType::texts:
    case FieldType::endpoint: return "u";
    case FieldType::port: return "S";
    case FieldType::protocol:
    case FieldType::flags:
    case FieldType::end_reason: return "C";
    case FieldType::time: return us ? "tsu:UTC" : "tsn:UTC";
    case FieldType::share:
    case FieldType::decimal: return "g";
    case FieldType::span:
      if (typed) return us ? "tDu" : "tDn";
      break;
    case FieldType::number:
    case FieldType::bytes: break;
  }
  return "l";
}

// The same types as in whole Flow Records, where these have such a column.
ArrowField field_of(const RowColumn& column) {
  if (column.times) return {column.name, format_by_type(column.type, column.times == TimeForm::us, true), true};
  static const std::vector<TypedColumn> known = typed_columns({.vlan = true, .biflow = true});
  const auto found = std::ranges::find(known, column.name, &TypedColumn::name);
  if (found != known.end()) return {column.name, arrow_format_of(found->type), true};
  return {column.name, format_by_type(column.type, column.name.find("_us") != std::string::npos, false), true};
}

class ParquetRows : public ArrowRowOutput {
 public:
  ParquetRows(ByteSink& output, unsigned threads) : output_(output), threads_(threads) {}

 private:
  void know(const std::vector<ArrowField>& fields) override {
    ArrowSchema schema;
    export_schema(fields, schema);
    writer_ = make_rows_writer(output_, RowsForm::parquet, schema, threads_);
  }
  void give(ArrowRows& rows) override {
    if (rows.rows() == 0) return;
    ArrowArray array;
    rows.take(array);
    writer_->append(array);
  }
  void finish() override { writer_->end(); }

  ByteSink& output_;
  const unsigned threads_;
  std::unique_ptr<RowsWriter> writer_;
};

}  // namespace

void ArrowRowOutput::begin(const std::vector<RowColumn>& columns) {
  std::vector<ArrowField> fields;
  for (const RowColumn& column : columns) fields.push_back(field_of(column));
  know(fields);
  rows_.emplace(std::move(fields));
}

void ArrowRowOutput::write(const std::vector<RowValue>& row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (const auto* whole = std::get_if<std::int64_t>(&row[i])) rows_->put(i, *whole);
    else if (const auto* real = std::get_if<double>(&row[i])) rows_->put(i, *real);
    else if (const auto* text = std::get_if<std::string>(&row[i])) rows_->put(i, *text);
    else rows_->put_null(i);
  }
  rows_->end_row();
  if (rows_->bytes() >= kEnough) give(*rows_);
}

void ArrowRowOutput::end() {
  give(*rows_);
  finish();
}

std::unique_ptr<RowOutput> make_row_output(const OutputOptions& options, ByteSink& output) {
  if (options.format == Format::table) return std::make_unique<Table>(output, options.table);
  if (options.format == Format::parquet) return std::make_unique<ParquetRows>(output, options.threads);
  if (options.format == Format::zeek) return std::make_unique<ZeekLog>(output, options.times);
  if (options.format == Format::json) return std::make_unique<Json>(output, options.times);
  return std::make_unique<Csv>(output, options.times);
}

}  // namespace warpmeter::inline command
