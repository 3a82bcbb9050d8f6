#include "simulator/ptx_tokens.h"

#include <algorithm>
#include <charconv>

#include "simulator/module.h"

namespace cuda_machine {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%' || c == '.';
}
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

struct Notation {
  std::string_view digits;
  int base = 10;
};

Notation notation_of(std::string_view text) {
  if (text.size() < 2 || text[0] != '0') return {text, 10};
  switch (text[1]) {
    case 'x':
    case 'X':
    case 'f':
    case 'F':
    case 'd':
    case 'D': return {text.substr(2), 16};
    case 'b':
    case 'B': return {text.substr(2), 2};
    default: return {text.substr(1), 8};
  }
}

}  // namespace

Tokens::Tokens(std::string_view text) : text_(text) { ahead_ = read(); }

Token Tokens::take() {
  const Token taken = ahead_;
  if (taken.kind == TokenKind::end) throw PtxError("the text ends too early");
  last_ = static_cast<std::size_t>(taken.text.data() - text_.data());
  ahead_ = read();
  return taken;
}

bool Tokens::take_if(std::string_view word) {
  if (!ahead_.is(word)) return false;
  take();
  return true;
}

void Tokens::expect(std::string_view word) {
  const Token token = take();
  if (!token.is(word)) throw PtxError("`" + std::string(word) + "` expected, not `" + std::string(token.text) + "`");
}

std::string_view Tokens::take_word() {
  const Token token = take();
  if (token.kind != TokenKind::word) throw PtxError("a word expected, not `" + std::string(token.text) + "`");
  return token.text;
}

std::uint64_t Tokens::take_number() {
  const Token token = take();
  if (token.kind != TokenKind::number) throw PtxError("a number expected, not `" + std::string(token.text) + "`");
  return value_of_number(token.text);
}

void Tokens::skip_past(std::string_view word) {
  while (!take().is(word)) {
  }
}

void Tokens::skip_braces() {
  expect("{");
  for (int depth = 1; depth > 0;) {
    const Token token = take();
    if (token.is("{")) ++depth;
    if (token.is("}")) --depth;
  }
}

std::string Tokens::where() const {
  const std::size_t before = last_ == 0 ? std::string_view::npos : text_.rfind('\n', last_ - 1);
  std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::size_t end = std::min(text_.find('\n', last_), text_.size());
  while (begin < end && is_blank(text_[begin])) ++begin;
  const auto number = 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
  return "line " + std::to_string(number) + ": `" + std::string(text_.substr(begin, end - begin)) + "`";
}

void Tokens::skip_blanks() {
  do {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  } while (skip_comment());
}

bool Tokens::skip_comment() {
  const std::string_view begin = text_.substr(at_, 2);
  if (begin != "//" && begin != "/*") return false;
  const std::string_view mark = begin == "//" ? "\n" : "*/";
  const std::size_t end = text_.find(mark, at_ + 2);
  at_ = end == std::string_view::npos ? text_.size() : end + mark.size();
  return true;
}

Token Tokens::read() {
  skip_blanks();
  if (at_ == text_.size()) return {TokenKind::end, text_.substr(at_)};
  const char first = text_[at_];
  if (first == '"') return read_string();
  if (is_digit(first)) return cut(TokenKind::number, length_of_word());
  if (is_letter(first)) return cut(TokenKind::word, length_of_word());
  return cut(TokenKind::mark, 1);
}

Token Tokens::read_string() {
  const std::size_t end = text_.find('"', at_ + 1);
  if (end == std::string_view::npos) throw PtxError("a string without an end");
  const Token token{TokenKind::string, text_.substr(at_ + 1, end - at_ - 1)};
  at_ = end + 1;
  return token;
}

Token Tokens::cut(TokenKind kind, std::size_t length) {
  const Token token{kind, text_.substr(at_, length)};
  at_ += length;
  return token;
}

// A double colon belongs to a word (".shared::cta"); a single one ends a label.
std::size_t Tokens::length_of_word() const {
  std::size_t end = at_;
  while (end < text_.size()) {
    if (is_letter(text_[end]) || is_digit(text_[end])) {
      ++end;
    } else if (text_.substr(end, 2) == "::") {
      end += 2;
    } else {
      break;
    }
  }
  return end - at_;
}

std::uint64_t value_of_number(std::string_view text) {
  std::string_view whole = text;
  if (whole.ends_with('U')) whole.remove_suffix(1);
  if (whole == "0") return 0;
  const Notation notation = notation_of(whole);
  const char* const end = notation.digits.data() + notation.digits.size();
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(notation.digits.data(), end, value, notation.base);
  if (error != std::errc{} || stop != end) throw PtxError("`" + std::string(text) + "` is no number");
  return value;
}

}  // namespace cuda_machine
