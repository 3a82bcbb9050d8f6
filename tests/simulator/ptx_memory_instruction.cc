// ld, st, atom, red, cvta, membar and fence, as written.
#include <map>
#include <string>

#include "simulator/memory_access.h"
#include "simulator/ptx_instruction.h"
#include "simulator/warp.h"

namespace cuda_machine {

namespace {

template <class T>
using ByName = std::map<std::string_view, T>;

// Takes the part for its meaning if the table has it.
template <class T>
bool take(const ByName<T>& meanings, std::string_view part, T& meaning) {
  const auto entry = meanings.find(part);
  if (entry == meanings.end()) return false;
  meaning = entry->second;
  return true;
}

const ByName<Space> kSpaces{
    {"global", Space::global}, {"shared", Space::shared}, {"shared::cta", Space::shared},
    {"local", Space::local},   {"param", Space::param},   {"param::entry", Space::param},
};

const ByName<Order> kOrders{
    {"weak", Order::weak},          {"relaxed", Order::relaxed}, {"volatile", Order::relaxed},
    {"acquire", Order::acquire},    {"release", Order::release}, {"acq_rel", Order::acquire_release},
    {"sc", Order::acquire_release},
};

const ByName<Scope> kScopes{
    {"cta", Scope::block},
    {"gpu", Scope::gpu},
    {"gl", Scope::gpu},
    {"sys", Scope::system},
};

const ByName<AtomicOperation> kAtomicOperations{
    {"add", AtomicOperation::add},       {"min", AtomicOperation::min},
    {"max", AtomicOperation::max},       {"and", AtomicOperation::bit_and},
    {"or", AtomicOperation::bit_or},     {"xor", AtomicOperation::bit_xor},
    {"exch", AtomicOperation::exchange}, {"cas", AtomicOperation::compare_and_swap},
    {"inc", AtomicOperation::inc},       {"dec", AtomicOperation::dec},
};

// Hints for caches: they change no result.
bool is_hint(std::string_view part) {
  static constexpr std::string_view kHints[]{"nc", "ca", "cg", "cs", "lu", "cv", "wb", "wt"};
  for (const std::string_view hint : kHints) {
    if (part == hint) return true;
  }
  const bool of_a_level = part.starts_with("L1::") || part.starts_with("L2::");
  return of_a_level && part != "L2::cache_hint";  // that one has an operand
}

std::uint8_t elements_of(std::string_view part) {
  if (part == "v2") return 2;
  if (part == "v4") return 4;
  return 0;
}

void set_type(std::string_view type, MemoryAccess& memory) {
  static const ByName<std::uint8_t> kSizes{{"8", 1}, {"16", 2}, {"32", 4}, {"64", 8}};
  const bool known = type.starts_with('b') || type.starts_with('u') || type.starts_with('s');
  if (!known || !take(kSizes, type.substr(1), memory.size)) {
    throw PtxError("type ." + std::string(type) + " is not supported");
  }
  memory.is_signed = type.starts_with('s');
}

// What any of ld, st, atom and red may say; false of anything else.
bool take_modifier(std::string_view part, MemoryAccess& memory) {
  if (part == "volatile") memory.scope = Scope::system;
  return take(kSpaces, part, memory.space) || take(kOrders, part, memory.order) || take(kScopes, part, memory.scope);
}

[[noreturn]] void refuse(std::string_view part) { throw PtxError("unknown modifier ." + std::string(part)); }

void set_access(const Statement& statement, MemoryAccess& memory) {
  for (std::size_t i = 1; i + 1 < statement.parts.size(); ++i) {
    const std::string_view part = statement.parts[i];
    if (take_modifier(part, memory) || is_hint(part)) continue;
    memory.elements = elements_of(part);
    if (!memory.elements) refuse(part);
  }
  set_type(statement.type(), memory);
}

void set_address(const WrittenOperand& operand, Names& names, Instruction& instruction) {
  if (operand.form != WrittenOperand::Form::address) throw PtxError("an address in brackets expected");
  instruction.memory.offset = operand.offset;
  add_source(operand.values.front(), names, instruction);
}

// The registers of an element or a vector.
const std::vector<WrittenValue>& elements(const WrittenOperand& operand, const MemoryAccess& memory) {
  const bool is_list = operand.form == WrittenOperand::Form::list;
  const bool is_single = operand.form == WrittenOperand::Form::single;
  if (!is_list && !is_single) throw PtxError("one register or a list expected");
  if (operand.values.size() != memory.elements) throw PtxError("as many registers as elements expected");
  return operand.values;
}

void make_load(const Statement& statement, Names& names, Instruction& instruction) {
  statement.expect_operands(2, 2);
  set_access(statement, instruction.memory);
  for (const WrittenValue& value : elements(statement.operand(0), instruction.memory)) {
    instruction.size = names.bytes_of(value);
    add_destination(value, names, instruction);
  }
  set_address(statement.operand(1), names, instruction);
  instruction.execute = load;
}

void make_store(const Statement& statement, Names& names, Instruction& instruction) {
  statement.expect_operands(2, 2);
  set_access(statement, instruction.memory);
  if (instruction.memory.space == Space::param) throw PtxError("parameters cannot be written");
  set_address(statement.operand(0), names, instruction);
  for (const WrittenValue& value : elements(statement.operand(1), instruction.memory)) {
    add_source(value, names, instruction);
  }
  instruction.execute = store;
}

void set_atomic_access(const Statement& statement, MemoryAccess& memory) {
  memory.order = Order::relaxed;
  for (std::size_t i = 1; i + 1 < statement.parts.size(); ++i) {
    const std::string_view part = statement.parts[i];
    if (!take_modifier(part, memory) && !take(kAtomicOperations, part, memory.atomic)) refuse(part);
  }
  if (memory.atomic == AtomicOperation::none) throw PtxError("an operation is missing");
  set_type(statement.type(), memory);
}

// atom d, [a], b; atom.cas d, [a], b, c; red [a], b.
void make_atomic(const Statement& statement, Names& names, Instruction& instruction) {
  set_atomic_access(statement, instruction.memory);
  const bool compares = instruction.memory.atomic == AtomicOperation::compare_and_swap;
  std::size_t next = 0;
  const std::size_t destinations = statement.parts.front() == "atom" ? 1 : 0;
  const std::size_t operands = destinations + (compares ? 3 : 2);
  statement.expect_operands(operands, operands);
  if (destinations) {
    instruction.size = names.bytes_of(statement.value(next));
    add_destination(statement.value(next++), names, instruction);
  }
  set_address(statement.operand(next++), names, instruction);
  for (; next < operands; ++next) add_source(statement.value(next), names, instruction);
  instruction.execute = atomic;
}

void move_address(Warp& warp, const Instruction& instruction, LaneMask lanes) {
  const Warp::Values& from = warp.from(instruction.from[0]);
  Warp::Values& to = warp.to(instruction.to[0]);
  for_each_lane(lanes, [&](unsigned lane) { to[lane] = from[lane]; });
}

Execute conversion_of(Space space, bool to_space) {
  switch (space) {
    case Space::local: return to_space ? generic_to_local : local_to_generic;
    case Space::shared: return to_space ? generic_to_shared : shared_to_generic;
    case Space::global: return move_address;
    default: throw PtxError("this space has no generic addresses here");
  }
}

// cvta.shared.u64 d, a; cvta.to.shared.u64 d, a.
void make_conversion(const Statement& statement, Names& names, Instruction& instruction) {
  statement.expect_operands(2, 2);
  const bool to_space = statement.has("to");
  if (statement.parts.size() != (to_space ? 4u : 3u)) throw PtxError("a space expected");
  Space space = Space::generic;
  if (!take(kSpaces, statement.parts[to_space ? 2 : 1], space)) refuse(statement.parts[to_space ? 2 : 1]);
  instruction.execute = conversion_of(space, to_space);
  add_destination(statement.value(0), names, instruction);
  add_source(statement.value(1), names, instruction);
}

// membar.gl, fence.acq_rel.gpu.
void make_fence(const Statement& statement, Names&, Instruction& instruction) {
  statement.expect_operands(0, 0);
  instruction.fence = true;
  instruction.execute = fence;
  instruction.memory.order = Order::acquire_release;
  bool has_scope = false;
  for (std::size_t i = 1; i < statement.parts.size(); ++i) {
    if (take(kScopes, statement.parts[i], instruction.memory.scope)) {
      has_scope = true;
    } else if (!take(kOrders, statement.parts[i], instruction.memory.order)) {
      refuse(statement.parts[i]);
    }
  }
  if (!has_scope) throw PtxError("a scope is missing");
}

}  // namespace

Make find_memory_instruction(std::string_view name) {
  static const ByName<Make> kInstructions{
      {"ld", make_load},     {"st", make_store},     {"atom", make_atomic},     {"red", make_atomic},
      {"fence", make_fence}, {"membar", make_fence}, {"cvta", make_conversion},
  };
  Make make = nullptr;
  take(kInstructions, name, make);
  return make;
}

}  // namespace cuda_machine
