// Pieces of HTML as text. Whatever comes from outside goes through escaped().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmeter::inline analysis::html {

// As text or as a quoted attribute: no markup, and valid UTF-8 whatever came in (what is none becomes U+FFFD).
std::string escaped(std::string_view text);

// One cell of a table: what is seen, and what the mouse finds out.
struct Cell {
  std::string html;        // escaped by who made it
  std::string title = {};  // plain text; escaped here
  double bar = -1;         // length of a bar behind it, 0 to 1; below 0: none
  bool volume = false;     // the bar is of how much, not of how bad
  double sure = -1;        // the part of the bar, 0 to 1, that is drawn darker; below 0: none
  double heat = -1;        // of a heat map: how deep the cell's ground is, 0 to 1; below 0: it has none
  double value = -1;       // by which a column of numbers is sorted; below 0: none
};

Cell text(std::string_view plain);
Cell number(std::uint64_t value);  // "1.23 M", exactly in its title
Cell bytes(std::uint64_t value);   // "1.23 GiB", exactly in its title
// A percentage with a bar, which is full at 100 %.
Cell share(std::uint64_t part, std::uint64_t whole);
Cell volume(std::uint64_t part, std::uint64_t whole);

// What the rows of a table offer: commands that list their flows by column `sort`, and take out their packets that have
// one of `verdicts` (`packets -w`), all of them where it is empty.
struct RowCommands {
  std::string_view sort = {};
  std::string_view verdicts = {};
};

// The first `words` columns are text, the others numbers. `caption` is plain text. The script sorts the rows and shows
// their commands.
class Table {
 public:
  Table(std::string_view caption, std::vector<std::string_view> header, std::size_t words = 1,
        const RowCommands& commands = {});
  // `filter`, plain text: which flows the row is about, as `show -f` understands it; none: the row offers nothing.
  // `host`: which host's worst flows it offers, if the page has them.
  void row(const std::vector<Cell>& cells, std::string_view filter = {}, std::string_view host = {});
  std::string html() const;

 private:
  const std::size_t words_;
  std::string text_;
};

// A section with its heading; `body` is HTML.
std::string section(std::string_view id, std::string_view heading, std::string_view body);

// The sentence below a heading, a remark, a place where the script draws. The first two take HTML, the chart's `says`
// is plain text: what those hear who do not see it.
std::string lead(std::string_view html);
std::string note(std::string_view html);
std::string chart(std::string_view name, std::string_view says);

}  // namespace warpmeter::inline analysis::html
