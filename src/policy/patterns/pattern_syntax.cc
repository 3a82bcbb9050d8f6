#include "policy/patterns/pattern_syntax.h"

#include <cctype>
#include <optional>

namespace warpmeter::inline policy {
namespace {

constexpr int kMostNested = 100;  // groups within groups; both this reader and the compiler of patterns recurse
constexpr const char* kNotStreamable = "not streamable";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Reads a pattern once, from left to right, and writes what of it can match where no `^` does.
class Reader {
 public:
  Reader(std::string_view pattern, PatternMode mode) : rest_(pattern), mode_(mode) {}

  PatternSyntax read() {
    const std::string flags(flags_of_all());
    const Part all = alternation(0);
    if (!rest_.empty()) throw PatternError("there is no ( for this )");
    return {anchored_, all.dead, flags + all.text};
  }

 private:
  struct Part {
    std::string text;
    bool dead = false;  // cannot match
  };

  bool sees(std::string_view text) const { return rest_.starts_with(text); }
  std::string_view take(std::size_t count) {
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  // As "(?i)" in front of all.
  std::string_view flags_of_all() {
    if (!sees("(?")) return {};
    const std::size_t end = rest_.find_first_not_of("imsx-", 2);
    if (end == rest_.npos || rest_[end] != ')') return {};
    refuse_flags(rest_.substr(2, end - 2));
    return take(end + 1);
  }

  void refuse_flags(std::string_view flags) const {
    if (flags.find('x') != flags.npos) throw PatternError("the flag x, blanks that mean nothing, is not taken");
    if (mode_ == PatternMode::stream && flags.find('m') != flags.npos) {
      throw PatternError("the flag m is not taken in a stream, which has no lines: write (^|\\n)");
    }
  }

  Part alternation(int depth) {
    if (depth > kMostNested) throw PatternError("more than " + std::to_string(kMostNested) + " groups within groups");
    Part all{"", true};
    while (true) {
      const Part one = branch(depth);
      if (!one.dead) {
        if (!all.dead) all.text += '|';
        all.text += one.text;
        all.dead = false;
      }
      if (!sees("|")) return all;
      take(1);
    }
  }

  Part branch(int depth) {
    Part all;
    while (!rest_.empty() && !sees("|") && !sees(")")) {
      const Part one = atom(depth);
      std::string repeated;
      const bool needed = repeats(repeated);
      if (one.dead) all.dead = all.dead || needed;
      else (all.text += one.text) += repeated;
    }
    return all;
  }

  // Appends what says how often; false: it may be not at all.
  bool repeats(std::string& text) {
    bool needed = true;
    while (const std::optional<std::size_t> size = repeat_size()) {
      const std::string_view count = take(*size);
      needed = needed && count.front() != '*' && count.front() != '?' && !is_from_zero(count);
      text += count;
      if (sees("?")) text += take(1);
      if (sees("+")) throw PatternError(kNotStreamable);  // possessive
    }
    return needed;
  }

  static bool is_from_zero(std::string_view count) {
    return count.front() == '{' && count.find_first_not_of('0', 1) == count.find_first_of(",}");
  }

  // Of "*", "+", "?", "{2}", "{2,}" or "{2,3}" that comes next; another brace is one.
  std::optional<std::size_t> repeat_size() const {
    if (rest_.empty()) return std::nullopt;
    if (std::string_view("*+?").find(rest_.front()) != std::string_view::npos) return 1;
    if (rest_.front() != '{') return std::nullopt;
    std::size_t at = 1, commas = 0;
    while (at < rest_.size() && (is_digit(rest_[at]) || (rest_[at] == ',' && commas++ == 0))) ++at;
    if (at == 1 || at == rest_.size() || rest_[at] != '}') return std::nullopt;
    if (rest_[1] != ',') return at + 1;
    if (at == 2) return std::nullopt;
    throw PatternError("a count needs both its ends: {0,n}");
  }

  Part atom(int depth) {
    switch (rest_.front()) {
      case '(': return group(depth);
      case '[': return {std::string(take(class_size()))};
      case '\\': return escape();
      case '^': take(1); return anchor("^");
      case '$':
        if (mode_ == PatternMode::stream) throw PatternError("a stream has no end that $ could stand for");
        return {std::string(take(1))};
      default: return {std::string(take(1))};
    }
  }

  Part anchor(const char* text) {
    if (mode_ == PatternMode::block) return {text};
    anchored_ = true;
    return {text, true};
  }

  Part group(int depth) {
    if (sees("(*")) throw PatternError("(* is not taken");
    if (sees("(?#")) {
      const std::size_t end = rest_.find(')');
      if (end == rest_.npos) throw PatternError("a comment without its )");
      return {std::string(take(end + 1))};
    }
    std::string opening = "(";
    if (sees("(?")) {
      const std::size_t end = rest_.find_first_not_of("imsx-", 2);
      if (end == rest_.npos) throw PatternError("a ( without its )");
      if (rest_[end] == ')') throw PatternError("flags stand at the beginning, or as (?i:...)");
      if (rest_[end] != ':') throw PatternError(kNotStreamable);  // looks around, has a name, is atomic, recurses
      refuse_flags(rest_.substr(2, end - 2));
      opening = rest_.substr(0, end + 1);
    }
    take(opening.size());
    const Part inside = alternation(depth + 1);
    if (!sees(")")) throw PatternError("a ( without its )");
    take(1);
    return {opening + inside.text + ")", inside.dead};
  }

  // From '[' to its ']'. The first character is no end; "[:alpha:]" stands for letters.
  std::size_t class_size() const {
    std::size_t at = rest_.size() > 1 && rest_[1] == '^' ? 2 : 1;
    for (const std::size_t first = at; at < rest_.size(); ++at) {
      if (rest_[at] == '\\') ++at;
      else if (rest_[at] == ']' && at != first) return at + 1;
      else if (rest_[at] == '[' && at + 1 < rest_.size() && rest_[at + 1] == ':') {
        const std::size_t end = rest_.find(":]", at + 2);
        if (end != rest_.npos && end < rest_.find(']', at + 2)) at = end + 1;
      }
    }
    throw PatternError("a [ without its ]");
  }

  Part escape() {
    if (rest_.size() < 2) throw PatternError("nothing behind the last \\");
    const char c = rest_[1];
    const std::string_view unstreamable = "123456789GZzkgK";  // references, ends, and where a match begins
    if (unstreamable.find(c) != unstreamable.npos) throw PatternError(kNotStreamable);
    if (c == 'Q' || c == 'E') throw PatternError("\\Q is not taken: a \\ stands before each character");
    if (c == 'A') {
      take(2);
      return anchor("\\A");
    }
    std::size_t size = c == 'c' ? 3 : 2;
    if (rest_.size() > 2 && rest_[2] == '{' && std::string_view("xopPN").find(c) != std::string_view::npos) {
      const std::size_t end = rest_.find('}');
      if (end == rest_.npos) throw PatternError("a { without its }");
      size = end + 1;
    }
    return {std::string(take(size))};
  }

  std::string_view rest_;
  const PatternMode mode_;
  bool anchored_ = false;
};

}  // namespace

PatternSyntax read_pattern(std::string_view pattern, PatternMode mode) { return Reader(pattern, mode).read(); }

}  // namespace warpmeter::inline policy
