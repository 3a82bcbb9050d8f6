#include "record/text/text_table.h"

#include <algorithm>
#include <utility>

namespace warpmeter::inline record {
namespace {

constexpr std::size_t kRowsForWidths = 1000, kGap = 2;
constexpr std::size_t kIndent = 2;  // of a broken row's second line
constexpr std::string_view kBold = "\033[1m", kYellow = "\033[33m", kPlain = "\033[0m";

std::string_view shown_text(const std::string& cell) { return cell.empty() ? "-" : std::string_view(cell); }

bool tells_nothing(std::string_view cell) { return cell == "-" || cell == "." || cell == "0"; }

}  // namespace

// A row as it grows; `column` is where its last line has come to, escapes not counted.
struct TextTable::Line {
  std::string text;
  std::size_t column = 0;
  bool overflowed = false;  // by a cell that may stand alone

  void pad_to(std::size_t target) {
    if (target <= column) return;
    text.append(target - column, ' ');
    column = target;
  }
  void break_off() {
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
    column = 0;
    overflowed = false;
  }
};

TextTable::TextTable(std::vector<TableColumn> columns, TableStyle style, std::function<void(std::string_view)> write)
    : columns_(std::move(columns)), style_(style), write_(std::move(write)) {}

void TextTable::add(std::vector<std::string> cells) {
  if (settled_) return write_row(cells, false);
  waiting_.push_back(std::move(cells));
  if (waiting_.size() >= kRowsForWidths) settle();
}

void TextTable::end() {
  if (!settled_) settle();
  name_what_is_left_out();
}

std::size_t TextTable::total() const {
  std::size_t all = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (shown_[i]) all += widths_[i] + (all ? kGap : 0);
  }
  return all;
}

std::size_t TextTable::begin_of(std::size_t column) const {
  std::size_t at = 0;
  for (std::size_t i = 0; i < column; ++i) {
    if (shown_[i]) at += widths_[i] + kGap;
  }
  return at;
}

// Of the cells that are not wider than that, and the title.
std::size_t TextTable::widest_below(std::size_t column, std::size_t limit) const {
  std::size_t widest = columns_[column].title.size();
  for (const Cells& cells : waiting_) {
    const std::size_t size = shown_text(cells[column]).size();
    if (size <= limit) widest = std::max(widest, size);
  }
  return widest;
}

void TextTable::settle() {
  settled_ = true;
  for (std::size_t i = 0; i < columns_.size(); ++i) natural_.push_back(widest_below(i, std::string::npos));
  widths_ = natural_;
  shown_.assign(columns_.size(), true);
  if (style_.width) fit();
  for (std::size_t i = 0; i < columns_.size(); ++i) begins_.push_back(begin_of(i));
  Cells titles;
  for (const TableColumn& column : columns_) titles.push_back(column.title);
  write_row(titles, true);
  for (const Cells& cells : waiting_) write_row(cells, false);
  waiting_.clear();
}

// One line a row, if the columns of rank 0 allow that; else long cells stand alone, which leaves room for more columns.
void TextTable::fit() {
  breaking_ = std::any_of(columns_.begin(), columns_.end(), [](const TableColumn& c) { return c.breaks; });
  if (total() <= style_.width) return;
  for (std::size_t i = 0; i < columns_.size(); ++i) shown_[i] = columns_[i].rank == 0;
  if (total() > style_.width) shrink_breaking();
  take_in();
}

// Those that break share what the others leave, and the last of them reaches so far that what comes behind it finds
// room beside its long cells.
void TextTable::shrink_breaking() {
  std::vector<std::size_t> breaking;
  std::size_t others = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!shown_[i]) continue;
    if (columns_[i].breaks) breaking.push_back(i);
    else others += widths_[i] + kGap;
  }
  const std::size_t gaps = breaking.empty() ? 0 : kGap * (breaking.size() - 1);
  if (breaking.empty() || others + gaps >= style_.width) return;  // the terminal has to break lines
  const std::size_t budget = style_.width - others - gaps;
  for (const std::size_t i : breaking) widths_[i] = widest_below(i, budget / breaking.size());
  const std::size_t last = breaking.back(), before = begin_of(last);
  const std::size_t wanted = kIndent + natural_[last], possible = style_.width - others;
  const std::size_t reach = std::min(wanted, possible);
  if (reach > before + widths_[last]) widths_[last] = reach - before;
}

// By rank, as many as there is room for.
void TextTable::take_in() {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!shown_[i]) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [this](auto a, auto b) { return columns_[a].rank < columns_[b].rank; });
  for (const std::size_t i : order) {
    shown_[i] = true;
    if (total() <= style_.width) continue;
    shown_[i] = false;
    return;
  }
}

void TextTable::append_cell(Line& line, std::size_t column, std::string_view cell, bool titles) const {
  const std::size_t padding = cell.size() < widths_[column] ? widths_[column] - cell.size() : 0;
  if (!columns_[column].is_text) line.pad_to(line.column + padding);
  const bool stands_out = titles || (columns_[column].warns && !tells_nothing(cell));
  if (style_.colours && stands_out) line.text.append(titles ? kBold : kYellow).append(cell).append(kPlain);
  else line.text += cell;
  line.column += cell.size();
  if (columns_[column].is_text) line.pad_to(line.column + padding);
}

void TextTable::write_row(const Cells& cells, bool titles) {
  Line line;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!shown_[i]) continue;
    const std::string_view cell = shown_text(cells[i]);
    const std::size_t begin = begins_[i];
    const bool alone = breaking_ && columns_[i].breaks && cell.size() > widths_[i];
    const bool no_room = begin && line.column + kGap > begin && line.overflowed;
    if (no_room) line.break_off();
    if (alone && begin && begin + cell.size() > style_.width) {
      if (line.column) line.break_off();
      line.pad_to(kIndent);
    } else if (alone && no_room) {
      line.pad_to(kIndent);
    } else {
      line.pad_to(begin && line.column + kGap > begin && line.column ? line.column + kGap : begin);
    }
    append_cell(line, i, cell, titles);
    line.overflowed |= alone;
  }
  line.break_off();
  write_(line.text);
}

// Lines of titles, as long as the terminal is wide.
void TextTable::name_what_is_left_out() {
  std::string names;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!shown_[i]) names += (names.empty() ? "" : ", ") + columns_[i].title;
  }
  if (names.empty()) return;
  std::string text = "No room for " + names + ": a wider terminal, or --format csv, has them.";
  std::size_t from = 0;
  while (text.size() - from > style_.width) {
    const std::size_t space = text.rfind(' ', from + style_.width);
    if (space == std::string::npos || space <= from) break;
    text[space] = '\n';
    from = space + 1;
  }
  write_(text + '\n');
}

}  // namespace warpmeter::inline record
