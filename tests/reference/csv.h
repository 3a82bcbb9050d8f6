// Flow Records as CSV text.
#pragma once

#include <string>
#include <vector>

#include "flow.h"
#include "reference_options.h"

namespace reference {

std::string csv(const std::vector<Flow>& flows, const Options& options);

}  // namespace reference
