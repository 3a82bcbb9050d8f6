// The words of a PTX text.
//
// Source: NVIDIA, "Parallel Thread Execution ISA", "Syntax".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace cuda_machine {

enum class TokenKind : std::uint8_t {
  end,
  word,    // with its dots: "ld.global.u32", "%tid.x", ".reg"
  number,  // without a sign
  string,  // without its quotes
  mark     // one character
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;

  bool is(std::string_view word) const { return text == word && kind != TokenKind::string; }
  bool is_directive() const { return kind == TokenKind::word && text[0] == '.'; }
};

// Reads a text from the front to the back, one token ahead. The text must outlive it and its tokens. Its functions
// throw PtxError, and so do those below.
class Tokens {
 public:
  explicit Tokens(std::string_view text);

  const Token& peek() const { return ahead_; }
  Token take();
  // True, and goes past it, if the next token is this one.
  bool take_if(std::string_view word);
  // Goes past this token, which must be next.
  void expect(std::string_view word);
  std::string_view take_word();
  std::uint64_t take_number();
  // Goes past the next of these, and past what stands before it.
  void skip_past(std::string_view word);
  // Goes past a part in braces, of which the first one is next.
  void skip_braces();

  // The line that was last read from, with its number: "line 7: `mov.u32 %r1, %r2;`".
  std::string where() const;

 private:
  void skip_blanks();
  bool skip_comment();
  Token read();
  Token read_string();
  Token cut(TokenKind kind, std::size_t length);
  std::size_t length_of_word() const;

  std::string_view text_;
  std::size_t at_ = 0;
  Token ahead_;
  std::size_t last_ = 0;  // where the token that was taken last begins
};

// The value of a number token: decimal, hexadecimal, octal or binary, or the bits of a float (0f3F800000, 0d...).
std::uint64_t value_of_number(std::string_view text);

}  // namespace cuda_machine
