#include "app/cli/top_words.h"

#include <algorithm>
#include <filesystem>

#include "app/cli/parse_values.h"
#include "base/words/shortened.h"
#include "warpmeter/status.h"

namespace warpmeter::inline app {
namespace {

[[noreturn]] void throw_no_column() {
  throw Error("--top N by: by which column? Such as --top 10 by bytes", ExitStatus::usage);
}

}  // namespace

Top take_top(const std::string& value, std::vector<std::string>& files) {
  constexpr const char* kBy = "by";
  Top top;
  if (value.empty()) return top;
  const std::size_t space = value.find(' ');
  top.most = parse_count("--top", value.substr(0, space));
  if (top.most == 0) throw Error("--top: at least 1", ExitStatus::usage);
  if (space != std::string::npos) {
    const std::string rest = value.substr(space + 1);
    if (rest == kBy || rest == "by ") throw_no_column();
    if (!rest.starts_with("by "))
      throw Error("--top '" + shortened(value) + "': N or 'N by COLUMN'", ExitStatus::usage);
    top.column = rest.substr(3);
    return top;
  }
  const auto by = std::find(files.begin(), files.end(), kBy);
  std::error_code ignored;
  if (by == files.end() || std::filesystem::exists(kBy, ignored)) return top;
  if (by + 1 == files.end()) throw_no_column();
  top.column = *(by + 1);
  files.erase(by, by + 2);
  return top;
}

}  // namespace warpmeter::inline app
