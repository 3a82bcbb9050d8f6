// From an instruction as written to one that runs.
#pragma once

#include "simulator/instruction.h"
#include "simulator/ptx_names.h"
#include "simulator/ptx_statement.h"

namespace cuda_machine {

// All but `file`, `line`, and the target of a branch: who knows the labels sets that. Throws PtxError.
Instruction make_instruction(const Statement& statement, Names& names);

// Parts of it: each fills in what is special to its instructions. All throw PtxError.
using Make = void (*)(const Statement& statement, Names& names, Instruction& instruction);

// Those for ld, st, atom, red, cvta, membar and their like; null of others. Name: "ld", the first part of the opcode.
Make find_memory_instruction(std::string_view name);
// Those for shfl, vote, match, redux, bar and barrier; null of others.
Make find_warp_wide_instruction(std::string_view name);

void add_source(const WrittenValue& value, Names& names, Instruction& instruction);
void add_destination(const WrittenValue& value, Names& names, Instruction& instruction);

}  // namespace cuda_machine
