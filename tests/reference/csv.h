// Flow Records as CSV text.
#pragma once

#include <string>
#include <vector>

#include "flow.h"

namespace reference {

std::string csv(const std::vector<Flow>& flows, bool with_vlan);

}  // namespace reference
