#include "analysis/page/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/page/words.h"

namespace warpmeter::inline analysis::html {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Length of the UTF-8 sequence (RFC 3629) at the beginning of `text`, 0 if there is no valid one.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return tail(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (first == 0xE0 && byte(1) < 0xA0) return 0;   // overlong
    if (first == 0xED && byte(1) >= 0xA0) return 0;  // a surrogate
    return tail(1) && tail(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (first == 0xF0 && byte(1) < 0x90) return 0;   // overlong
    if (first == 0xF4 && byte(1) >= 0x90) return 0;  // beyond U+10FFFF
    return tail(1) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

void append_escaped(std::string& to, std::string_view sequence) {
  switch (sequence[0]) {
    case '&': to += "&amp;"; return;
    case '<': to += "&lt;"; return;
    case '>': to += "&gt;"; return;
    case '"': to += "&quot;"; return;
    case '\'': to += "&#39;"; return;
    default: break;
  }
  const auto first = static_cast<unsigned char>(sequence[0]);
  const bool control = first < 0x20 || first == 0x7F;
  to += control ? kReplacement : sequence;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length) append_escaped(result, text.substr(0, length));
    else result += kReplacement;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result;
}

Cell text(std::string_view plain) { return {escaped(plain)}; }

Cell number(std::uint64_t value) {
  const std::string shown = words::count(value), exact = words::exact(value);
  Cell cell = {shown, shown == exact ? "" : exact};
  cell.value = static_cast<double>(value);
  return cell;
}

Cell bytes(std::uint64_t value) {
  Cell cell = {words::bytes(value), value < 1024 ? "" : words::exact(value) + " bytes"};
  cell.value = static_cast<double>(value);
  return cell;
}

Cell share(std::uint64_t part, std::uint64_t whole) {
  const double share = whole ? static_cast<double>(part) / static_cast<double>(whole) : 0;
  Cell cell = {escaped(words::percent(part, whole)), words::exact(part) + " of " + words::exact(whole),
               std::min(1.0, share)};
  cell.value = share;
  return cell;
}

Cell volume(std::uint64_t part, std::uint64_t whole) {
  Cell cell = share(part, whole);
  cell.volume = true;
  return cell;
}

Table::Table(std::string_view caption, std::vector<std::string_view> header, std::size_t words,
             const RowCommands& commands)
    : words_(words) {
  // What is wider than the window is moved by keys as well, which takes a focus and a name.
  text_ = fmt::format("<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{}\"><table", escaped(caption));
  if (!commands.sort.empty()) text_ += fmt::format(" data-sort=\"{}\"", escaped(commands.sort));
  if (!commands.verdicts.empty()) text_ += fmt::format(" data-verdicts=\"{}\"", escaped(commands.verdicts));
  text_ += fmt::format("><caption>{}</caption>\n<thead><tr>", escaped(caption));
  for (std::size_t i = 0; i < header.size(); ++i) {
    text_ += fmt::format("<th scope=\"col\"{}>{}</th>", i < words_ ? "" : " class=\"n\"", escaped(header[i]));
  }
  text_ += "</tr></thead>\n<tbody>\n";
}

void Table::row(const std::vector<Cell>& cells, std::string_view filter, std::string_view host) {
  text_ += "<tr";
  if (!filter.empty()) text_ += fmt::format(" data-filter=\"{}\"", escaped(filter));
  if (!host.empty()) text_ += fmt::format(" data-host=\"{}\"", escaped(host));
  text_ += '>';
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    const std::string title = cell.title.empty() ? "" : fmt::format(" title=\"{}\"", escaped(cell.title));
    const char* tag = i == 0 ? "th scope=\"row\"" : "td";
    const char* kind = i < words_       ? ""
                       : cell.bar >= 0  ? " class=\"n bar\""
                       : cell.heat >= 0 ? " class=\"n heat\""
                                        : " class=\"n\"";
    const std::string value = i < words_ || cell.value < 0 ? "" : fmt::format(" data-v=\"{}\"", cell.value);
    const std::string heat = cell.heat < 0 ? "" : fmt::format(" style=\"--heat:{:.0f}%\"", 100 * cell.heat);
    text_ += fmt::format("<{}{}{}{}{}>", tag, kind, title, value, heat);
    if (cell.bar < 0) {
      text_ += cell.html;
    } else {
      text_ +=
          fmt::format("<div><i{} style=\"width:{:.1f}%\"></i>", cell.volume ? " class=\"volume\"" : "", 100 * cell.bar);
      if (cell.sure >= 0) text_ += fmt::format("<i style=\"width:{:.1f}%\"></i>", 100 * cell.sure);
      text_ += fmt::format("<span>{}</span></div>", cell.html);
    }
    text_ += i == 0 ? "</th>" : "</td>";
  }
  text_ += "</tr>\n";
}

std::string Table::html() const { return text_ + "</tbody></table></div>\n"; }

std::string section(std::string_view id, std::string_view heading, std::string_view body) {
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id, escaped(heading), body);
}

std::string lead(std::string_view html) { return fmt::format("<p class=\"lead\">{}</p>\n", html); }

std::string note(std::string_view html) { return fmt::format("<p class=\"note\">{}</p>\n", html); }

std::string chart(std::string_view name, std::string_view says) {
  return fmt::format("<figure class=\"chart\" data-chart=\"{}\" role=\"group\" aria-label=\"{}\"></figure>\n", name,
                     escaped(says));
}

}  // namespace warpmeter::inline analysis::html
