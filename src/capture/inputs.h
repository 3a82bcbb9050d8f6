// The inputs as given on the command line, and the capture files they stand for.
#pragma once

#include <string>
#include <vector>

namespace warpmeter {

// Files stay as they are; a folder becomes its capture files in name order. Throws Error for what does not exist and
// for a folder without captures.
std::vector<std::string> expand_inputs(const std::vector<std::string>& inputs);

}  // namespace warpmeter
