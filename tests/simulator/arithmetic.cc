#include "simulator/arithmetic.h"

#include "simulator/arithmetic_table.h"

namespace cuda_machine {

namespace {

ArithmeticTable make_table() {
  ArithmeticTable table;
  add_sums_and_products(table);
  add_carry_chains(table);
  add_bit_operations(table);
  add_predicates(table);
  add_moves(table);
  return table;
}

}  // namespace

Execute arithmetic(std::string_view opcode) {
  static const ArithmeticTable table = make_table();
  const auto entry = table.find(std::string(opcode));
  return entry == table.end() ? nullptr : entry->second;
}

}  // namespace cuda_machine
