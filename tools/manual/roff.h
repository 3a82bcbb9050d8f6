// Manual pages in the language of man(7), as man and mandoc read it without a warning.
//
// Text comes as Markdown has it in a line: `literal`, **strong**, [words](target); options in it (--memory, -o) stand
// out. Whatever else it holds is shown as it is.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmeter {

// What is shown for the target of a link, behind its words; "" for nothing.
using LinkText = std::function<std::string(std::string_view target)>;

// Nothing in it means anything to roff any more.
std::string roff_literal(std::string_view text);
std::string roff_bold(std::string_view text);
std::string roff_italic(std::string_view text);
std::string roff_styled(std::string_view text, const LinkText& link = {});

class Roff {
 public:
  // Date: 2026-01-31.
  Roff(std::string_view name, int section, std::string_view date, std::string_view version);

  void heading(std::string_view title);  // in capitals
  void subheading(std::string_view title);
  // These take roff.
  void paragraph(std::string_view roff);
  void entry(std::string_view tag, std::string_view roff);  // a tag, and what it means to the right and below
  void item(std::string_view mark, std::string_view roff);  // of a list; the mark is a bullet or number
  void indent(bool further);

  void example(std::string_view as_given);  // a little in, and as narrow as example_lines.h makes it

  const std::string& text() const { return text_; }

 private:
  void begin_paragraph();
  void fill(std::string_view roff);

  std::string text_;
  bool after_heading_ = false;
};

}  // namespace warpmeter
