// The inputs as given on the command line, and the capture files they stand for.
#pragma once

#include <string>
#include <vector>

#include "capture/input_format.h"

namespace warpmeter {

// Files stay as they are, whether they exist or not; a folder becomes its capture files of this format in name order.
// Throws Error for a folder that cannot be read or holds no captures, and if standard input ("-") is given twice.
std::vector<std::string> expand_inputs(const std::vector<std::string>& inputs,
                                       InputFormat format = InputFormat::automatic);

}  // namespace warpmeter
