#include "simulator/ptx_names.h"

namespace cuda_machine {

namespace {

struct Special {
  int index;
  std::uint8_t bytes;
};

const std::map<std::string_view, Special>& special_registers() {
  static const std::map<std::string_view, Special> registers{
      {"%tid.x", {kTidX, 4}},
      {"%tid.y", {kTidY, 4}},
      {"%tid.z", {kTidZ, 4}},
      {"%ntid.x", {kNtidX, 4}},
      {"%ntid.y", {kNtidY, 4}},
      {"%ntid.z", {kNtidZ, 4}},
      {"%ctaid.x", {kCtaidX, 4}},
      {"%ctaid.y", {kCtaidY, 4}},
      {"%ctaid.z", {kCtaidZ, 4}},
      {"%nctaid.x", {kNctaidX, 4}},
      {"%nctaid.y", {kNctaidY, 4}},
      {"%nctaid.z", {kNctaidZ, 4}},
      {"%laneid", {kLaneId, 4}},
      {"%warpid", {kWarpId, 4}},
      {"%smid", {kSmId, 4}},
      {"%lanemask_eq", {kLaneMaskEq, 4}},
      {"%lanemask_lt", {kLaneMaskLt, 4}},
      {"%lanemask_le", {kLaneMaskLe, 4}},
      {"%lanemask_gt", {kLaneMaskGt, 4}},
      {"%lanemask_ge", {kLaneMaskGe, 4}},
      {"%clock", {kClock, 4}},
      {"%clock64", {kClock, 8}},
      {"%globaltimer", {kClock, 8}},
  };
  return registers;
}

std::uint32_t round_up(std::uint32_t value, std::uint32_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

// Puts a variable behind what is there; returns where.
std::uint32_t place_behind(std::uint32_t& used, const Variable& variable) {
  const std::uint32_t place = round_up(used, variable.alignment);
  used = place + variable.bytes;
  return place;
}

std::uint8_t bytes_of_type(std::string_view type) {
  if (type.ends_with("8")) return 1;
  if (type.ends_with("16")) return 2;
  if (type.ends_with("32")) return 4;
  if (type.ends_with("64")) return 8;
  throw PtxError("registers of type ." + std::string(type) + " are not supported");
}

}  // namespace

Names::Names(Kernel& kernel, const ModuleNames& module) : kernel_(kernel), module_(module) { begin_scope(); }

void Names::begin_scope() { scopes_.emplace_back(); }

void Names::end_scope() { scopes_.pop_back(); }

void Names::declare_register(const std::string& name, std::string_view type) {
  if (type == "pred") {
    declare(name, {Kind::predicate, 0, static_cast<int>(kernel_.predicates++), 0});
  } else {
    declare(name, {Kind::value, bytes_of_type(type), static_cast<int>(kernel_.registers++), 0});
  }
}

void Names::declare_parameter(const Variable& variable) {
  const std::uint32_t place = place_behind(kernel_.parameter_bytes, variable);
  kernel_.parameters.push_back({place, variable.bytes});
  declare(std::string(variable.name), {Kind::place, 8, 0, place});
}

void Names::declare_shared(const Variable& variable) {
  declare(std::string(variable.name), {Kind::place, 8, 0, place_behind(kernel_.shared_bytes, variable)});
}

void Names::declare_local(const Variable& variable) {
  declare(std::string(variable.name), {Kind::place, 8, 0, place_behind(kernel_.local_bytes, variable)});
}

Operand Names::source(const WrittenValue& value) {
  if (value.negated) throw PtxError("a predicate where a value is wanted");
  if (value.is_number()) return constant(value.number);
  if (value.name == "WARP_SZ") return constant(kLanes);
  const Symbol* symbol = find(value.name);
  if (!symbol) symbol = adopt_shared(value.name);
  if (symbol) {
    if (symbol->kind == Kind::predicate) throw PtxError("a predicate where a value is wanted");
    return symbol->kind == Kind::value ? Operand{symbol->index} : constant(symbol->place);
  }
  const auto special = special_registers().find(value.name);
  if (special == special_registers().end()) refuse(value.name);
  return {special->second.index};
}

Operand Names::destination(const WrittenValue& value) const {
  if (value.name == "_") return {kSink};
  const Symbol* const symbol = find(value.name);
  if (!symbol) refuse(value.name);
  if (symbol->kind != Kind::value || value.negated) throw PtxError("a register expected as destination");
  return {symbol->index};
}

PredicateOperand Names::predicate(const WrittenValue& value) const {
  if (value.is_number()) {
    return {value.number ? PredicateOperand::kTrue : PredicateOperand::kFalse, value.negated};
  }
  const Symbol* const symbol = find(value.name);
  if (!symbol) refuse(value.name);
  if (symbol->kind != Kind::predicate) throw PtxError("a predicate expected, not `" + std::string(value.name) + "`");
  return {symbol->index, value.negated};
}

int Names::predicate_destination(const WrittenValue& value) const {
  if (value.name == "_") return -1;
  const PredicateOperand operand = predicate(value);
  if (operand.index < 0 || operand.negated) throw PtxError("a predicate expected as destination");
  return operand.index;
}

Operand Names::constant(std::uint64_t value) {
  const auto [entry, is_new] = constants_.try_emplace(value, static_cast<int>(kernel_.constants.size()));
  if (is_new) kernel_.constants.emplace_back().fill(value);
  return {~entry->second};
}

bool Names::is_predicate(const WrittenValue& value) const {
  const Symbol* const symbol = find(value.name);
  return symbol && symbol->kind == Kind::predicate;
}

std::uint8_t Names::bytes_of(const WrittenValue& value) const {
  const Symbol* const symbol = find(value.name);
  if (symbol) return symbol->bytes;
  const auto special = special_registers().find(value.name);
  return special == special_registers().end() ? std::uint8_t{8} : special->second.bytes;
}

void Names::declare(const std::string& name, const Symbol& symbol) {
  if (!scopes_.back().emplace(name, symbol).second) throw PtxError("`" + name + "` is declared twice");
}

const Names::Symbol* Names::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto entry = scope->find(name);
    if (entry != scope->end()) return &entry->second;
  }
  return nullptr;
}

const Names::Symbol* Names::adopt_shared(std::string_view name) {
  const auto variable = module_.shared.find(name);
  if (variable == module_.shared.end()) return nullptr;
  const Symbol symbol{Kind::place, 8, 0, place_behind(kernel_.shared_bytes, variable->second)};
  return &scopes_.front().emplace(name, symbol).first->second;
}

void Names::refuse(std::string_view name) const {
  const auto entry = module_.unknown.find(name);
  const std::string quoted = "`" + std::string(name) + "`";
  if (entry != module_.unknown.end()) throw PtxError(quoted + ": " + entry->second + " are not supported");
  throw PtxError(quoted + " is not declared");
}

}  // namespace cuda_machine
