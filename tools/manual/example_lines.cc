#include "manual/example_lines.h"

#include <algorithm>
#include <cctype>

namespace warpmeter {
namespace {

constexpr std::size_t kWidth = 80 - 11;  // a page's margin, and that of examples
constexpr std::string_view kFurtherIn = "    ";

// Where to break: the last blank outside of quotes that leaves room for a backslash, before an option or a bar if there
// is such a one, so that an option keeps its value; npos if there is none.
std::size_t break_of(std::string_view command, std::size_t width) {
  std::size_t at = std::string_view::npos, before_option = at;
  char quote = 0;
  for (std::size_t i = 0; i < command.size() && i + 2 <= width; ++i) {
    const char c = command[i];
    if (quote) quote = c == quote ? 0 : quote;
    else if (c == '\'' || c == '"') quote = c;
    else if (c == ' ' && i > 0 && command[i - 1] != ' ') {
      at = i;
      const std::string_view next = command.substr(i + 1, 2);
      if (next.starts_with('|') || (next.starts_with('-') && next != "- ")) before_option = i;
    }
  }
  return before_option == std::string_view::npos ? at : before_option;
}

std::string narrow_line(std::string_view line) {
  if (line.size() <= kWidth || !std::islower(static_cast<unsigned char>(line.front()))) return std::string(line) + "\n";
  std::string text;
  std::string_view command = line;
  if (const std::size_t comment = line.find(" # "); comment != std::string_view::npos) {
    text.append(line.substr(comment + 1)).append("\n");
    command = line.substr(0, line.find_last_not_of(' ', comment) + 1);
  }
  for (std::size_t width = kWidth; command.size() > width; width = kWidth - kFurtherIn.size()) {
    const std::size_t at = break_of(command, width);
    if (at == std::string_view::npos) break;
    text.append(command.substr(0, at)).append(" \\\n").append(kFurtherIn);
    command.remove_prefix(command.find_first_not_of(' ', at));
  }
  return text.append(command).append("\n");
}

}  // namespace

std::string narrow_example(std::string_view lines) {
  std::string text;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    text += end == 0 ? "\n" : narrow_line(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

}  // namespace warpmeter
