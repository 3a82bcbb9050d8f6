// Which backend meters, and why.
#pragma once

#include <string>
#include <vector>

#include "pipeline/extract_options.h"

namespace warpmeter {

struct BackendChoice {
  std::string name;
  std::string reason;
};

// Throws Error if the wanted backend cannot be had.
BackendChoice choose_backend(Backend wanted);

// For `warpmeter info`.
bool built_with_cuda();
std::vector<std::string> gpu_lines();  // one a GPU; or one line that says why there is none

}  // namespace warpmeter
