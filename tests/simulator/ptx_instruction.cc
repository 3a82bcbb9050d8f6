#include "simulator/ptx_instruction.h"

#include <map>

#include "simulator/arithmetic.h"
#include "simulator/place.h"

namespace cuda_machine {

namespace {

void do_nothing(Warp&, const Instruction&, LaneMask) {}

void run_into_trap(Warp& warp, const Instruction& instruction, LaneMask lanes) {
  fault(warp, instruction, lowest_lane(lanes), Finding::unsupported, "the kernel gave up");
}

void make_nothing(const Statement&, Names&, Instruction& instruction) { instruction.execute = do_nothing; }

void make_trap(const Statement&, Names&, Instruction& instruction) { instruction.execute = run_into_trap; }

void make_sleep(const Statement&, Names&, Instruction& instruction) { instruction.control = Control::sleep; }

void make_branch(const Statement& statement, Names&, Instruction& instruction) {
  statement.expect_operands(1, 1);
  if (statement.parts.size() > 1 && statement.opcode != "bra.uni") throw PtxError("unknown kind of branch");
  instruction.control = Control::branch;
}

void make_exit(const Statement& statement, Names&, Instruction& instruction) {
  statement.expect_operands(0, 0);
  instruction.control = Control::exit;
}

Execute find_arithmetic(const Statement& statement) {
  const Execute execute = arithmetic(statement.opcode);
  if (!execute) throw PtxError("unknown instruction");
  return execute;
}

// Of add and its like: a destination, and values.
void make_arithmetic(const Statement& statement, Names& names, Instruction& instruction) {
  instruction.execute = find_arithmetic(statement);
  statement.expect_operands(statement.opcode == "activemask.b32" ? 1 : 2, 5);
  const WrittenValue& destination = statement.value(0);
  instruction.size = names.bytes_of(destination);
  add_destination(destination, names, instruction);
  for (std::size_t i = 1; i < statement.operands.size(); ++i) add_source(statement.value(i), names, instruction);
}

void make_predicate_logic(const Statement& statement, Names& names, Instruction& instruction) {
  instruction.execute = find_arithmetic(statement);
  statement.expect_operands(2, 3);
  instruction.predicate_to[0] = names.predicate_destination(statement.value(0));
  for (std::size_t i = 1; i < statement.operands.size(); ++i) {
    instruction.predicate_from[i - 1] = names.predicate(statement.value(i));
  }
}

bool is_list(const WrittenOperand& operand) { return operand.form == WrittenOperand::Form::list; }

std::uint8_t bytes_of_move(std::string_view type) {
  if (type == "b32") return 4;
  if (type == "b64") return 8;
  throw PtxError("lists are moved as b32 or b64");
}

void make_move_of_lists(const Statement& statement, Names& names, Instruction& instruction) {
  statement.expect_operands(2, 2);
  const bool unpacks = is_list(statement.operand(0));
  const WrittenOperand& list = statement.operand(unpacks ? 0 : 1);
  if (list.values.size() != 2 && list.values.size() != 4) throw PtxError("two or four registers expected in braces");
  if (is_list(statement.operand(unpacks ? 1 : 0))) throw PtxError("lists on both sides");
  instruction.execute = arithmetic(unpacks ? "mov.unpack" : "mov.pack");
  instruction.size = static_cast<std::uint8_t>(bytes_of_move(statement.type()) / list.values.size());
  for (const WrittenValue& value : statement.operand(0).values) add_destination(value, names, instruction);
  for (const WrittenValue& value : statement.operand(1).values) add_source(value, names, instruction);
}

void make_move(const Statement& statement, Names& names, Instruction& instruction) {
  if (statement.type() == "pred") return make_predicate_logic(statement, names, instruction);
  if (is_list(statement.operand(0)) || is_list(statement.operand(1))) {
    return make_move_of_lists(statement, names, instruction);
  }
  make_arithmetic(statement, names, instruction);
}

void make_logic(const Statement& statement, Names& names, Instruction& instruction) {
  const bool of_predicates = statement.type() == "pred";
  (of_predicates ? make_predicate_logic : make_arithmetic)(statement, names, instruction);
}

// setp.lt.s32 p, a, b; setp.lt.s32 p|q, a, b; setp.lt.and.s32 p, a, b, c.
void make_comparison(const Statement& statement, Names& names, Instruction& instruction) {
  instruction.execute = find_arithmetic(statement);
  const std::size_t operands = statement.parts.size() == 4 ? 4 : 3;
  statement.expect_operands(operands, operands);
  const WrittenOperand& to = statement.operand(0);
  const bool single_or_pair = to.form == WrittenOperand::Form::single || to.form == WrittenOperand::Form::pair;
  if (!single_or_pair) throw PtxError("one predicate or a pair expected");
  for (std::size_t i = 0; i < to.values.size(); ++i) {
    instruction.predicate_to[i] = names.predicate_destination(to.values[i]);
  }
  add_source(statement.value(1), names, instruction);
  add_source(statement.value(2), names, instruction);
  if (operands == 4) instruction.predicate_from[0] = names.predicate(statement.value(3));
}

void make_selection(const Statement& statement, Names& names, Instruction& instruction) {
  instruction.execute = find_arithmetic(statement);
  statement.expect_operands(4, 4);
  add_destination(statement.value(0), names, instruction);
  add_source(statement.value(1), names, instruction);
  add_source(statement.value(2), names, instruction);
  instruction.predicate_from[0] = names.predicate(statement.value(3));
}

// Those that are neither plain arithmetic nor of memory or warps.
Make find_special_instruction(std::string_view name) {
  static const std::map<std::string_view, Make> instructions{
      {"and", make_logic},        {"bra", make_branch},        {"exit", make_exit}, {"griddepcontrol", make_nothing},
      {"mov", make_move},         {"nanosleep", make_sleep},   {"not", make_logic}, {"or", make_logic},
      {"prefetch", make_nothing}, {"prefetchu", make_nothing}, {"ret", make_exit},  {"selp", make_selection},
      {"setp", make_comparison},  {"trap", make_trap},         {"xor", make_logic},
  };
  const auto entry = instructions.find(name);
  return entry == instructions.end() ? nullptr : entry->second;
}

Make find_make(std::string_view name) {
  if (const Make make = find_special_instruction(name)) return make;
  if (const Make make = find_memory_instruction(name)) return make;
  if (const Make make = find_warp_wide_instruction(name)) return make;
  return make_arithmetic;
}

}  // namespace

Instruction make_instruction(const Statement& statement, Names& names) {
  Instruction instruction;
  instruction.text = statement.text;
  if (statement.guard) instruction.guard = names.predicate(*statement.guard);
  find_make(statement.parts.front())(statement, names, instruction);
  return instruction;
}

void add_source(const WrittenValue& value, Names& names, Instruction& instruction) {
  if (instruction.sources == instruction.from.size()) throw PtxError("an operand too many");
  instruction.from[instruction.sources++] = names.source(value);
}

void add_destination(const WrittenValue& value, Names& names, Instruction& instruction) {
  if (instruction.destinations == instruction.to.size()) throw PtxError("an operand too many");
  instruction.to[instruction.destinations++] = names.destination(value);
}

}  // namespace cuda_machine
