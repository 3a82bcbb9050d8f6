// `warpmeter extract INPUT... [FILTER]`: where the inputs end and the capture filter begins.
#pragma once

#include <string>
#include <vector>

namespace warpmeter::inline app {

struct InputsAndFilter {
  std::vector<std::string> inputs;
  std::string filter;  // empty if there is none
};

// Inputs are "-" and what exists; the first word that is neither begins the filter. A word that looks like a file and
// does not exist is taken for a file, so that a typing error is reported as one. Throws Error (usage) if a filter
// stands before inputs.
InputsAndFilter split_inputs(const std::vector<std::string>& words);

}  // namespace warpmeter::inline app
