#include "show/row_output.h"

#include <fmt/format.h>

#include <algorithm>

namespace warpmeter {
namespace {

// Widths come from the first rows; later ones that are wider push their line to the right.
class Table : public RowOutput {
 public:
  explicit Table(OutputFile& output) : output_(output) {}

  void begin(const std::vector<RowColumn>& columns) override {
    columns_ = columns;
    std::vector<std::string> names;
    for (const RowColumn& column : columns) names.push_back(column.name);
    waiting_.push_back(std::move(names));
  }

  void write(const std::vector<std::string>& cells) override {
    if (!widths_.empty()) return write_line(cells);
    waiting_.push_back(cells);
    if (waiting_.size() > kRowsForWidths) settle_widths();
  }

  void end() override {
    if (widths_.empty()) settle_widths();
  }

 private:
  static constexpr std::size_t kRowsForWidths = 1000;

  void settle_widths() {
    widths_.assign(columns_.size(), 1);
    for (const auto& cells : waiting_) {
      for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], cells[i].size());
    }
    for (const auto& cells : waiting_) write_line(cells);
    waiting_.clear();
  }

  void write_line(const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string_view cell = cells[i].empty() ? "-" : std::string_view(cells[i]);
      if (i) line += "  ";
      if (columns_[i].is_text) line += fmt::format("{:<{}}", cell, widths_[i]);
      else line += fmt::format("{:>{}}", cell, widths_[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    output_.write(line + '\n');
  }

  OutputFile& output_;
  std::vector<RowColumn> columns_;
  std::vector<std::vector<std::string>> waiting_;  // until the widths are known
  std::vector<std::size_t> widths_;
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

std::unique_ptr<RowOutput> make_row_output(Format format, OutputFile& output) {
  if (format == Format::table) return std::make_unique<Table>(output);
  if (format == Format::json) return std::make_unique<Json>(output);
  return std::make_unique<Csv>(output);
}

}  // namespace warpmeter
