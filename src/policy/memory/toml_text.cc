#include "policy/memory/policy_file.h"

#include <algorithm>
#include <string>

#include "policy/memory/policy_memory.h"

namespace warpmeter::inline policy {
namespace {

class TomlTextCheck {
 public:
  explicit TomlTextCheck(std::string_view text) : text_(text) {}

  void run() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c == '.' && ++dots_ >= kMostParts) fail();
      if (std::string_view("\n=,[{").find(c) != std::string_view::npos) dots_ = 0;
      if (c == '#') at_ = std::min(text_.find('\n', at_), text_.size()) - 1;
      if (c == '"' || c == '\'') string(c);
    }
  }

 private:
  static constexpr std::size_t kMostParts = 32;

  [[noreturn]] void fail() const {
    throw PolicyError("TOML: a key of more than " + std::to_string(kMostParts) + " parts (line " +
                      std::to_string(line_) + ")");
  }

  // Goes to its last character.
  void string(char quote) {
    const std::string three(3, quote);
    const bool many_lines = text_.substr(at_, 3) == three;
    for (at_ += many_lines ? 3 : 1; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] == '\\' && quote == '"' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') ++at_;
      else if (many_lines ? text_.substr(at_, 3) == three : text_[at_] == quote || text_[at_] == '\n') break;
    }
    if (!many_lines) return;
    at_ += 2;
    while (at_ + 1 < text_.size() && text_[at_ + 1] == quote) ++at_;  // up to two stand before the end as text
  }

  const std::string_view text_;
  std::size_t at_ = 0, line_ = 1, dots_ = 0;
};

}  // namespace

void check_toml_text(std::string_view text) { TomlTextCheck(text).run(); }

}  // namespace warpmeter::inline policy
