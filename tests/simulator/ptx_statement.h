// One instruction as it is written: an opcode with its parts, a guard, and operands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/ptx_tokens.h"

namespace cuda_machine {

// A name or a number.
struct WrittenValue {
  std::string_view name;     // empty: a number
  std::uint64_t number = 0;  // with its sign, in two's complement
  bool negated = false;      // "!%p1"

  bool is_number() const { return name.empty(); }
};

struct WrittenOperand {
  enum class Form : std::uint8_t {
    single,
    pair,    // a|b
    list,    // {a, b}
    address  // [a+offset]
  };
  Form form = Form::single;
  std::vector<WrittenValue> values;
  std::int64_t offset = 0;  // of an address
};

struct Statement {
  std::string_view opcode;              // "ld.global.u32"
  std::vector<std::string_view> parts;  // "ld", "global", "u32"
  std::optional<WrittenValue> guard;
  std::vector<WrittenOperand> operands;
  std::string text;  // without the semicolon, on one line

  std::string_view type() const { return parts.back(); }
  bool has(std::string_view part) const;
  // Throws PtxError where there are fewer operands.
  const WrittenOperand& operand(std::size_t index) const;
  // Throws PtxError where the operand is not just one value.
  const WrittenValue& value(std::size_t index) const;
  // Throws PtxError unless there are at least `least` operands and at most `most`.
  void expect_operands(std::size_t least, std::size_t most) const;
};

// Reads up to the semicolon and past it. `first` has been taken already: the guard's "@", or the opcode.
// Throws PtxError.
Statement read_statement(Tokens& tokens, const Token& first);

}  // namespace cuda_machine
