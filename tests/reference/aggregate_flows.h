// All flows of one key over the whole trace as one.
#pragma once

#include <vector>

#include "flow.h"

namespace reference {

// flows: in output order. The result is in output order too.
std::vector<Flow> aggregate(const std::vector<Flow>& flows);

}  // namespace reference
