// A variable in memory, as it is declared.
#pragma once

#include <cstdint>
#include <string_view>

#include "simulator/ptx_tokens.h"

namespace cuda_machine {

struct Variable {
  std::string_view name;
  std::uint32_t bytes = 0, alignment = 1;
};

// Reads ".align 16 .b8 name[24][2]", as it stands behind ".shared" and its like; alignment and brackets may be missing.
// Throws PtxError.
Variable read_variable(Tokens& tokens);

}  // namespace cuda_machine
