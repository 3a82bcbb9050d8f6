#include "core/flow_state.h"

namespace warpmeter {

std::uint32_t full_counter() { return UINT32_MAX; }

}  // namespace warpmeter
