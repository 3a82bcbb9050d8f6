#include "record/text/text_table.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace warpmeter::inline record {
namespace {

constexpr std::size_t kRowsForWidths = 1000, kLeast = 11, kUsualWidth = 80;
constexpr std::string_view kBold = "\033[1m", kYellow = "\033[33m", kPlain = "\033[0m";
constexpr std::string_view kUnknown = "-", kNone = ".", kMiddle = "..";

constexpr std::pair<std::string_view, std::string_view> kMeanings[] = {{"RETRANS", "segments retransmitted"},
                                                                       {"SHARE", "of the data segments, retransmitted"},
                                                                       {"DUP", "copies by a mirror port"},
                                                                       {"OOO", "segments out of order"},
                                                                       {"MISSING", "bytes never seen"},
                                                                       {"KEEP", "keep-alives"},
                                                                       {"ZWIN", "windows of 0"},
                                                                       {"FLAGS", "Fin Syn Rst Psh Ack Urg Ece Cwr"}};

std::string_view shown_text(const std::string& cell) { return cell.empty() ? kUnknown : std::string_view(cell); }

bool tells_nothing(std::string_view cell) { return cell == kUnknown || cell == kNone || cell == "0"; }

// Its beginning and its end, which have a host's network and its port. Cut between characters of UTF-8.
std::string without_middle(std::string_view cell, std::size_t width) {
  constexpr std::size_t kLeastBegin = 3;
  const auto inside = [cell](std::size_t at) { return (static_cast<unsigned char>(cell[at]) & 0xc0) == 0x80; };
  const std::size_t kept = width - kMiddle.size();
  std::size_t end = kept / 2;
  const std::size_t port = cell.size() - std::min(cell.rfind("]:"), cell.size());  // of IPv6
  if (port > end && port + kLeastBegin <= kept) end = port;
  std::size_t first = kept - end, last = cell.size() - end;
  while (first > 0 && inside(first)) --first;
  while (last < cell.size() && inside(last)) ++last;
  return std::string(cell.substr(0, first)).append(kMiddle).append(cell.substr(last));
}

}  // namespace

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
  if (style_.legend) write_legend();
}

std::size_t TextTable::total() const {
  std::size_t all = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (shown_[i]) all += widths_[i] + (all ? gap_ : 0);
  }
  return all;
}

std::size_t TextTable::widest(std::size_t column) const {
  std::size_t most = columns_[column].title.size();
  for (const Cells& cells : waiting_) most = std::max(most, shown_text(cells[column]).size());
  return most;
}

void TextTable::settle() {
  settled_ = true;
  for (std::size_t i = 0; i < columns_.size(); ++i) widths_.push_back(widest(i));
  shown_.assign(columns_.size(), true);
  if (style_.width) fit();
  Cells titles;
  for (const TableColumn& column : columns_) titles.push_back(column.title);
  write_row(titles, true);
  for (const Cells& cells : waiting_) write_row(cells, false);
  waiting_.clear();
}

// As many columns that matter as there can be; the others where long cells stay whole beside them.
void TextTable::fit() {
  const std::size_t usual_gap = gap_;
  if (total() <= style_.width) return;
  for (int rank = kMatters; rank >= 0; --rank) {
    for (std::size_t i = 0; i < columns_.size(); ++i) shown_[i] = columns_[i].rank <= rank;
    for (gap_ = usual_gap; gap_ > 0; --gap_) {
      if (total() <= style_.width) return take_in();
    }
    gap_ = 1;
    if (shorten()) return;
  }
  gap_ = usual_gap;  // the terminal has to break lines
}

// Those that may share what the others leave, the shortest of them first. False if that is too little.
bool TextTable::shorten() {
  std::vector<std::size_t> order;
  std::size_t least = 0, whole = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!shown_[i] || !columns_[i].shortens) continue;
    order.push_back(i);
    whole += widths_[i];
    least += std::min(widths_[i], std::max(kLeast, columns_[i].title.size()));
  }
  const std::size_t others = total() - whole;
  if (order.empty() || others + least > style_.width) return false;
  std::size_t room = style_.width - others;
  std::ranges::stable_sort(order, {}, [this](std::size_t i) { return widths_[i]; });
  for (std::size_t left = order.size(); const std::size_t i : order) {
    widths_[i] = std::min(widths_[i], room / left--);
    room -= widths_[i];
  }
  return true;
}

// By rank, as many as there is room for.
void TextTable::take_in() {
  std::vector<std::size_t> order(columns_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [this](std::size_t i) { return shown_[i]; });
  std::ranges::stable_sort(order, {}, [this](std::size_t i) { return columns_[i].rank; });
  for (const std::size_t i : order) {
    shown_[i] = true;
    if (total() <= style_.width) continue;
    shown_[i] = false;
    return;
  }
}

void TextTable::note_signs(std::string_view cell, bool is_short) {
  has_none_ |= cell == kNone;
  has_unknown_ |= cell == kUnknown;
  has_short_ |= is_short;
}

void TextTable::write_row(const Cells& cells, bool titles) {
  std::string line;
  std::size_t column = 0, begin = 0;  // escapes are not counted
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!shown_[i]) continue;
    std::string cell(shown_text(cells[i]));
    const bool is_short = style_.width && columns_[i].shortens && cell.size() > widths_[i];
    if (is_short) cell = without_middle(cell, widths_[i]);
    if (!titles) note_signs(cell, is_short);
    std::size_t at = begin;
    if (!columns_[i].is_text && cell.size() < widths_[i]) at += widths_[i] - cell.size();
    if (begin > 0) at = std::max(at, column + gap_);
    line.append(at - column, ' ');
    const bool stands_out = style_.colours && (titles || (columns_[i].warns && !tells_nothing(cell)));
    if (stands_out) line.append(titles ? kBold : kYellow).append(cell).append(kPlain);
    else line += cell;
    column = at + cell.size();
    begin += widths_[i] + gap_;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  write_(line + '\n');
}

void TextTable::name_what_is_left_out() {
  std::string names;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (!shown_[i]) names += (names.empty() ? "" : ", ") + columns_[i].title;
  }
  if (!names.empty()) write_wrapped("No room for " + names + ": --wide, or a wider terminal, shows them.");
}

// Of what there is in this table, and no more.
void TextTable::write_legend() {
  std::string text;
  const auto add = [&text](std::string_view sign, std::string_view meaning) {
    (text += text.empty() ? "" : "; ").append(sign).append(" ").append(meaning);
  };
  if (has_none_) add(kNone, "none");
  if (has_unknown_) add(kUnknown, "not known, or not of this protocol");
  if (has_short_) add(kMiddle, "shortened (--wide: in full)");
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto same = [&](const auto& entry) { return entry.first == columns_[i].title; };
    const auto found = std::ranges::find_if(kMeanings, same);
    if (shown_[i] && found != std::end(kMeanings)) add(found->first, found->second);
  }
  if (!text.empty()) write_wrapped(std::move(text));
}

// Lines as long as the terminal is wide.
void TextTable::write_wrapped(std::string text) {
  const std::size_t width = style_.width ? style_.width : kUsualWidth;
  std::size_t from = 0;
  while (text.size() - from > width) {
    const std::size_t space = text.rfind(' ', from + width);
    if (space == std::string::npos || space <= from) break;
    text[space] = '\n';
    from = space + 1;
  }
  write_(text + '\n');
}

}  // namespace warpmeter::inline record
