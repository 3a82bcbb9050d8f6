#include "core/flow_state.h"

#include "support/lower_full_counter.h"

namespace warpmeter {

std::uint32_t full_counter() { return test::full_counter_now; }

}  // namespace warpmeter
