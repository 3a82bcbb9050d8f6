#include "simulator/ptx_statement.h"

#include <algorithm>

#include "simulator/module.h"

namespace cuda_machine {

namespace {

std::vector<std::string_view> split_at_dots(std::string_view opcode) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t dot = opcode.find('.');
    parts.push_back(opcode.substr(0, dot));
    if (dot == std::string_view::npos) return parts;
    opcode.remove_prefix(dot + 1);
  }
}

std::string on_one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank) line += c;
    if (blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

std::uint64_t read_signed_number(Tokens& tokens) {
  return tokens.take_if("-") ? std::uint64_t{0} - tokens.take_number() : tokens.take_number();
}

WrittenValue read_value(Tokens& tokens) {
  WrittenValue value;
  value.negated = tokens.take_if("!");
  if (tokens.peek().kind == TokenKind::word) {
    value.name = tokens.take_word();
  } else {
    value.number = read_signed_number(tokens);
  }
  return value;
}

WrittenOperand read_list(Tokens& tokens) {
  WrittenOperand operand{WrittenOperand::Form::list, {}, 0};
  do operand.values.push_back(read_value(tokens));
  while (tokens.take_if(","));
  tokens.expect("}");
  return operand;
}

WrittenOperand read_address(Tokens& tokens) {
  WrittenOperand operand{WrittenOperand::Form::address, {read_value(tokens)}, 0};
  if (tokens.take_if("+")) {
    operand.offset = static_cast<std::int64_t>(read_signed_number(tokens));
  } else if (tokens.peek().is("-")) {
    operand.offset = static_cast<std::int64_t>(read_signed_number(tokens));
  }
  tokens.expect("]");
  return operand;
}

WrittenOperand read_operand(Tokens& tokens) {
  if (tokens.take_if("{")) return read_list(tokens);
  if (tokens.take_if("[")) return read_address(tokens);
  WrittenOperand operand{WrittenOperand::Form::single, {read_value(tokens)}, 0};
  if (tokens.take_if("|")) {
    operand.form = WrittenOperand::Form::pair;
    operand.values.push_back(read_value(tokens));
  }
  return operand;
}

}  // namespace

bool Statement::has(std::string_view part) const { return std::find(parts.begin(), parts.end(), part) != parts.end(); }

const WrittenOperand& Statement::operand(std::size_t index) const {
  if (index >= operands.size()) throw PtxError("an operand is missing");
  return operands[index];
}

const WrittenValue& Statement::value(std::size_t index) const {
  const WrittenOperand& written = operand(index);
  if (written.form != WrittenOperand::Form::single) throw PtxError("one register or number expected");
  return written.values.front();
}

void Statement::expect_operands(std::size_t least, std::size_t most) const {
  if (operands.size() < least) throw PtxError("an operand is missing");
  if (operands.size() > most) throw PtxError("an operand too many");
}

Statement read_statement(Tokens& tokens, const Token& first) {
  Statement statement;
  Token opcode = first;
  if (first.is("@")) {
    statement.guard = read_value(tokens);
    opcode = tokens.take();
  }
  if (opcode.kind != TokenKind::word) throw PtxError("an instruction expected, not `" + std::string(opcode.text) + "`");
  statement.opcode = opcode.text;
  statement.parts = split_at_dots(opcode.text);
  if (!tokens.peek().is(";")) {
    do statement.operands.push_back(read_operand(tokens));
    while (tokens.take_if(","));
  }
  const char* const end = tokens.peek().text.data();
  tokens.expect(";");
  statement.text = on_one_line({first.text.data(), static_cast<std::size_t>(end - first.text.data())});
  return statement;
}

}  // namespace cuda_machine
