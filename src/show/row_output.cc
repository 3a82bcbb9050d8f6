#include "show/row_output.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "export/text_table.h"

namespace warpmeter {
namespace {

class Table : public RowOutput {
 public:
  Table(OutputFile& output, TableStyle style) : output_(output), style_(style) {}

  void begin(const std::vector<RowColumn>& columns) override {
    std::vector<TableColumn> of_table;
    for (const RowColumn& c : columns) of_table.push_back({c.name, c.is_text, c.rank, c.breaks, c.warns});
    table_.emplace(std::move(of_table), style_, [this](std::string_view line) { output_.write(line); });
  }
  void write(const std::vector<std::string>& cells) override { table_->add(cells); }
  void end() override { table_->end(); }

 private:
  OutputFile& output_;
  const TableStyle style_;
  std::optional<TextTable> table_;
};

class Csv : public RowOutput {
 public:
  explicit Csv(OutputFile& output) : output_(output) {}

  void begin(const std::vector<RowColumn>& columns) override {
    std::vector<std::string> names;
    for (const RowColumn& column : columns) names.push_back(column.name);
    write(names);
  }

  void write(const std::vector<std::string>& cells) override {
    output_.write(fmt::format("{}\n", fmt::join(cells, ",")));
  }

 private:
  OutputFile& output_;
};

class Json : public RowOutput {
 public:
  explicit Json(OutputFile& output) : output_(output) {}

  void begin(const std::vector<RowColumn>& columns) override { columns_ = columns; }

  void write(const std::vector<std::string>& cells) override {
    std::string line = "{";
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const char* quote = columns_[i].is_text && !cells[i].empty() ? "\"" : "";
      line += fmt::format("{}\"{}\":{}{}{}", i ? "," : "", columns_[i].name, quote,
                          cells[i].empty() ? "null" : cells[i], quote);
    }
    output_.write(line + "}\n");
  }

 private:
  OutputFile& output_;
  std::vector<RowColumn> columns_;
};

}  // namespace

std::unique_ptr<RowOutput> make_row_output(const OutputOptions& options, OutputFile& output) {
  if (options.format == Format::table) return std::make_unique<Table>(output, options.table);
  if (options.format == Format::json) return std::make_unique<Json>(output);
  return std::make_unique<Csv>(output);
}

}  // namespace warpmeter
