#include "manual/roff.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "manual/example_lines.h"

namespace warpmeter {
namespace {

constexpr std::size_t kLineLength = 80;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)); }

// "--memory", "-o": how many characters of `text` are an option; 0 if it begins with none.
std::size_t option_length(std::string_view text) {
  const std::size_t dashes = std::min(text.find_first_not_of('-'), text.size());
  if (dashes == 0 || dashes > 2 || dashes == text.size() || !is_letter(text[dashes])) return 0;
  std::size_t end = dashes + 1;
  if (dashes == 1) return end == text.size() || !(is_letter(text[end]) || text[end] == '-') ? end : 0;
  while (end < text.size() && (is_letter(text[end]) || std::isdigit(static_cast<unsigned char>(text[end])) ||
                               (text[end] == '-' && end + 1 < text.size() && is_letter(text[end + 1])))) {
    ++end;
  }
  return end;
}

// A word may begin behind it.
bool is_outside(char c) { return c == ' ' || c == '(' || c == '/'; }

std::string upper(std::string_view text) {
  std::string all(text);
  std::transform(all.begin(), all.end(), all.begin(), [](unsigned char c) { return std::toupper(c); });
  return all;
}

// Of a heading or title: quotes would end the argument.
std::string argument(std::string_view text) { return '"' + roff_literal(text) + '"'; }

// One piece of styled text; takes it off `text`.
class Styler {
 public:
  Styler(std::string_view text, const LinkText& link) : rest_(text), link_(link) {}

  std::string all() {
    std::string roff;
    char before = ' ';
    while (!rest_.empty()) {
      const char next = rest_.front();
      roff += piece(before);
      before = next;
    }
    return roff;
  }

 private:
  std::string piece(char before) {
    if (rest_.front() == '`') {
      if (const auto inside = enclosed(1, "`")) return roff_bold(*inside);
    } else if (rest_.starts_with("**")) {
      if (const auto inside = enclosed(2, "**")) return "\\fB" + roff_styled_inside(*inside) + "\\fR";
    } else if (rest_.front() == '*' && is_outside(before) && rest_.size() > 1 && is_letter(rest_[1])) {
      if (const auto inside = enclosed(1, "*")) return roff_italic(*inside);
    } else if (rest_.front() == '[') {
      if (const std::string words = words_of_link(); !words.empty()) return words;
    } else if (is_outside(before)) {
      if (const std::size_t length = option_length(rest_)) return roff_bold(take(length));
    }
    return roff_literal(take(1));
  }

  // Within strong text all is strong.
  static std::string roff_styled_inside(std::string_view text) {
    std::string bare(text);
    std::erase(bare, '`');
    return roff_literal(bare);
  }

  std::string_view take(std::size_t length) {
    const std::string_view taken = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return taken;
  }

  // What stands between marks of that length and the next `end`, all of which is taken.
  std::optional<std::string_view> enclosed(std::size_t mark, std::string_view end) {
    const std::size_t until = rest_.find(end, mark);
    if (until == std::string_view::npos) return std::nullopt;
    const std::string_view inside = rest_.substr(mark, until - mark);
    rest_.remove_prefix(until + end.size());
    return inside;
  }

  std::string words_of_link() {
    const std::size_t middle = rest_.find("]("), end = rest_.find(')', middle);
    if (middle == std::string_view::npos || end == std::string_view::npos) return {};
    const std::string_view words = rest_.substr(1, middle - 1), target = rest_.substr(middle + 2, end - middle - 2);
    const std::string shown = link_ ? link_(target) : "";
    const std::string_view path = target.substr(0, target.find('#'));
    const bool is_name = path.substr(path.rfind('/') + 1).starts_with(words);  // "[outputs.md](outputs.md)"
    rest_.remove_prefix(end + 1);
    if (shown.empty()) return roff_styled(words, link_);
    return is_name ? shown : roff_styled(words, link_) + " (" + shown + ")";
  }

  std::string_view rest_;
  const LinkText& link_;
};

}  // namespace

std::string roff_literal(std::string_view text) {
  std::string roff;
  for (const char c : text) {
    switch (c) {
      case '\\': roff += "\\e"; break;
      case '-': roff += "\\-"; break;
      case '\'': roff += "\\(aq"; break;
      case '"': roff += "\\(dq"; break;
      case '`': roff += "\\(ga"; break;
      case '^': roff += "\\(ha"; break;
      case '~': roff += "\\(ti"; break;
      default: roff += c;
    }
  }
  return roff;
}

std::string roff_bold(std::string_view text) { return "\\fB" + roff_literal(text) + "\\fR"; }
std::string roff_italic(std::string_view text) { return "\\fI" + roff_literal(text) + "\\fR"; }
std::string roff_styled(std::string_view text, const LinkText& link) { return Styler(text, link).all(); }

Roff::Roff(std::string_view name, int section, std::string_view date, std::string_view version) {
  text_ = ".\\\" Written by write_manual, from the options of the program and docs/.\n.TH " + argument(upper(name)) +
          " " + std::to_string(section) + " " + std::string(date) + " " +
          argument("warpmeter " + std::string(version)) + " " + argument("warpmeter") +
          "\n.nh\n.ad l\n";  // what is to be typed is not to be hyphenated
}

// Lines are broken between words, and none of them begins like a request.
void Roff::fill(std::string_view roff) {
  std::size_t column = 0;
  while (!roff.empty()) {
    const std::size_t end = std::min(roff.find(' '), roff.size());
    const std::string_view word = roff.substr(0, end);
    roff.remove_prefix(std::min(end + 1, roff.size()));
    if (word.empty()) continue;
    if (column) text_ += column + word.size() < kLineLength ? ' ' : '\n';
    if (column + word.size() >= kLineLength) column = 0;
    if (column == 0 && (word.front() == '.' || word.front() == '\'')) text_ += "\\&";
    text_ += word;
    column += word.size() + 1;
  }
  text_ += '\n';
}

void Roff::heading(std::string_view title) {
  text_ += ".SH " + argument(upper(title)) + "\n";
  after_heading_ = true;
}

void Roff::subheading(std::string_view title) {
  text_ += ".SS " + argument(title) + "\n";
  after_heading_ = true;
}

// Behind a heading it is one already.
void Roff::begin_paragraph() {
  if (!after_heading_) text_ += ".PP\n";
  after_heading_ = false;
}

void Roff::paragraph(std::string_view roff) {
  begin_paragraph();
  fill(roff);
}

void Roff::entry(std::string_view tag, std::string_view roff) {
  after_heading_ = false;
  text_.append(".TP\n").append(tag).append("\n");
  fill(roff);
}

void Roff::item(std::string_view mark, std::string_view roff) {
  after_heading_ = false;
  text_ += ".IP " + std::string(mark) + " 4\n";
  fill(roff);
}

void Roff::indent(bool further) { text_ += further ? ".RS 4\n" : ".RE\n"; }

void Roff::example(std::string_view as_given) {
  const std::string narrow = narrow_example(as_given);
  std::string_view lines = narrow;
  begin_paragraph();
  text_ += ".RS 4\n.EX\n";
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const std::string line = roff_literal(lines.substr(0, end));
    text_ += (line.starts_with('.') ? "\\&" : "") + line + "\n";
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  text_ += ".EE\n.RE\n.nh\n";  // which .EE forgets
}

}  // namespace warpmeter
