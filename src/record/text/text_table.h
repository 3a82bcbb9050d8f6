// Aligned columns for people, also on terminals that are too narrow for all of them.
//
// Widths come from the first rows. On a terminal of known width each row takes one line. Where room is short, columns
// of high rank go first and are named at the end; before one that matters goes (kMatters), blanks and then long cells
// are made shorter, ".." in place of their middle. Without a width all columns are there in full, and what is wider
// than the first rows pushes its line to the right. One thread.
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
  bool legend = false;  // tells behind the table what its signs and titles mean
};

struct TableColumn {
  std::string title;
  bool is_text = false;   // to the left; numbers to the right
  int rank = 0;           // where room is short, columns of the highest rank go first; those of 0 stay
  bool shortens = false;  // a long cell may lose its middle
  bool warns = false;     // other values than none stand out
};

class TextTable {
 public:
  static constexpr int kMatters = 3;  // up to this rank

  // `write` takes whole lines.
  TextTable(std::vector<TableColumn> columns, TableStyle style, std::function<void(std::string_view)> write);

  void add(std::vector<std::string> cells);  // as many as columns; "" is shown as "-"
  void end();

 private:
  using Cells = std::vector<std::string>;

  void settle();
  void fit();
  bool shorten();
  void take_in();
  std::size_t total() const;
  std::size_t widest(std::size_t column) const;
  void write_row(const Cells& cells, bool titles);
  void note_signs(std::string_view cell, bool is_short);
  void name_what_is_left_out();
  void write_legend();
  void write_wrapped(std::string text);

  const std::vector<TableColumn> columns_;
  const TableStyle style_;
  const std::function<void(std::string_view)> write_;
  std::vector<Cells> waiting_;  // until the widths are known
  std::vector<std::size_t> widths_;
  std::vector<bool> shown_;
  std::size_t gap_ = 2;
  bool settled_ = false;
  bool has_none_ = false, has_unknown_ = false, has_short_ = false;  // signs that a reader has to know
};

}  // namespace warpmeter::inline record
