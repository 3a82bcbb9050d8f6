// What the names of a kernel stand for: registers, predicates, and places in memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "simulator/module.h"
#include "simulator/ptx_statement.h"
#include "simulator/ptx_variable.h"

namespace cuda_machine {

// What the module declares outside of kernels.
struct ModuleNames {
  std::map<std::string_view, Variable> shared;
  std::map<std::string_view, std::string> unknown;  // names that no instruction may use: what they are
};

// The names of one kernel. Functions throw PtxError where a name is unknown, or not of the kind that is wanted.
class Names {
 public:
  // Adds registers, constants and memory to the kernel as they are declared or used.
  Names(Kernel& kernel, const ModuleNames& module);

  // Names declared from here on are forgotten at the end of the scope.
  void begin_scope();
  void end_scope();

  // Type: "b32", "pred".
  void declare_register(const std::string& name, std::string_view type);
  void declare_parameter(const Variable& variable);
  void declare_shared(const Variable& variable);
  void declare_local(const Variable& variable);

  // The number, register or address of a variable in its own space.
  Operand source(const WrittenValue& value);
  Operand destination(const WrittenValue& value) const;
  PredicateOperand predicate(const WrittenValue& value) const;
  int predicate_destination(const WrittenValue& value) const;

  Operand constant(std::uint64_t value);
  bool is_predicate(const WrittenValue& value) const;
  // How wide a register is; 8 of what is none.
  std::uint8_t bytes_of(const WrittenValue& value) const;

 private:
  enum class Kind : std::uint8_t { value, predicate, place };
  struct Symbol {
    Kind kind = Kind::value;
    std::uint8_t bytes = 8;  // of a register
    int index = 0;           // of a register or predicate
    std::uint64_t place = 0;
  };
  using Scope = std::map<std::string, Symbol, std::less<>>;

  void declare(const std::string& name, const Symbol& symbol);
  const Symbol* find(std::string_view name) const;
  // Memory for one of the module's shared variables, when the kernel first names it.
  const Symbol* adopt_shared(std::string_view name);
  [[noreturn]] void refuse(std::string_view name) const;

  Kernel& kernel_;
  const ModuleNames& module_;
  std::vector<Scope> scopes_;
  std::map<std::uint64_t, int> constants_;  // index of a value
};

}  // namespace cuda_machine
