#include "command/show/row_output.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "command/show/field_text.h"
#include "record/text/text_table.h"

namespace warpmeter::inline command {
namespace {

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
      cells.push_back(value_text(columns_[i].type, row[i], audience_, times_));
    }
    write_text(std::move(cells));
  }

 protected:
  virtual void begin_text(const std::vector<RowColumn>& columns) = 0;
  virtual void write_text(std::vector<std::string> cells) = 0;  // "" is nothing
  // To the left in a table, in quotes in JSON.
  bool is_text(const RowColumn& column) const { return warpmeter::is_text(column.type, audience_, times_); }

 private:
  const Audience audience_;
  const TimeForm times_;
  std::vector<RowColumn> columns_;
};

class Table : public TextRows {
 public:
  Table(OutputFile& output, TableStyle style)
      : TextRows(Audience::person, TimeForm::ns), output_(output), style_(style) {}

  void end() override { table_->end(); }

 private:
  void begin_text(const std::vector<RowColumn>& columns) override {
    std::vector<TableColumn> of_table;
    for (const RowColumn& c : columns) of_table.push_back({c.name, is_text(c), c.rank, c.shortens, c.warns});
    table_.emplace(std::move(of_table), style_, [this](std::string_view line) { output_.write(line); });
  }
  void write_text(std::vector<std::string> cells) override { table_->add(std::move(cells)); }

  OutputFile& output_;
  const TableStyle style_;
  std::optional<TextTable> table_;
};

class Csv : public TextRows {
 public:
  Csv(OutputFile& output, TimeForm times) : TextRows(Audience::program, times), output_(output) {}

 private:
  void begin_text(const std::vector<RowColumn>& columns) override {
    std::vector<std::string> names;
    for (const RowColumn& column : columns) names.push_back(column.name);
    write_text(std::move(names));
  }
  void write_text(std::vector<std::string> cells) override {
    output_.write(fmt::format("{}\n", fmt::join(cells, ",")));
  }

  OutputFile& output_;
};

class Json : public TextRows {
 public:
  Json(OutputFile& output, TimeForm times) : TextRows(Audience::program, times), output_(output) {}

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
    output_.write(line + "}\n");
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

  OutputFile& output_;
  std::vector<Named> named_;
};

}  // namespace

std::unique_ptr<RowOutput> make_row_output(const OutputOptions& options, OutputFile& output) {
  if (options.format == Format::table) return std::make_unique<Table>(output, options.table);
  if (options.format == Format::json) return std::make_unique<Json>(output, options.times);
  return std::make_unique<Csv>(output, options.times);
}

}  // namespace warpmeter::inline command
