// What instructions do that neither touch memory nor wait for other lanes.
#pragma once

#include <string_view>

#include "simulator/instruction.h"

namespace cuda_machine {

// By the opcode as it is written, "add.s32"; null if it is unknown. Of mov with a list in braces "mov.pack" (list to
// register) and "mov.unpack", by Instruction::size. The operands must be those of the instruction, in its order.
Execute arithmetic(std::string_view opcode);

}  // namespace cuda_machine
