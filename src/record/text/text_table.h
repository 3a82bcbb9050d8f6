// Aligned columns for people, also on terminals that are too narrow for all of them.
//
// Widths come from the first rows. On a terminal of known width a row takes one line as long as the columns that matter
// most find room, and the others are left out and named at the end; where long addresses find none beside each other,
// each stands on a line of its own, with the rest of the row in its columns. Without a width all columns are there, and
// what is wider than the first rows pushes its line to the right. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmeter::inline record {

struct TableStyle {
  std::size_t width = 0;  // of the terminal; 0 = as wide as it is
  bool colours = false;
};

struct TableColumn {
  std::string title;
  bool is_text = false;  // to the left; numbers to the right
  int rank = 0;          // where room is short, columns of the highest rank go first; those of 0 stay
  bool breaks = false;   // a long cell may stand on a line of its own
  bool warns = false;    // other values than none stand out
};

class TextTable {
 public:
  // `write` takes whole lines.
  TextTable(std::vector<TableColumn> columns, TableStyle style, std::function<void(std::string_view)> write);

  void add(std::vector<std::string> cells);  // as many as columns; "" is shown as "-"
  void end();

 private:
  using Cells = std::vector<std::string>;
  struct Line;

  void settle();
  void fit();
  void shrink_breaking();
  void take_in();
  std::size_t total() const;
  std::size_t begin_of(std::size_t column) const;
  std::size_t widest_below(std::size_t column, std::size_t limit) const;
  void write_row(const Cells& cells, bool titles);
  void append_cell(Line& line, std::size_t column, std::string_view cell, bool titles) const;
  void name_what_is_left_out();

  const std::vector<TableColumn> columns_;
  const TableStyle style_;
  const std::function<void(std::string_view)> write_;
  std::vector<Cells> waiting_;        // until the widths are known
  std::vector<std::size_t> natural_;  // widths that all of these find room in
  std::vector<std::size_t> widths_;
  std::vector<std::size_t> begins_;  // of those that are shown
  std::vector<bool> shown_;
  bool settled_ = false;
  bool breaking_ = false;  // long cells stand alone
};

}  // namespace warpmeter::inline record
