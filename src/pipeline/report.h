// `warpmeter report`, from files of Flow Records to one page to look at.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "warpmeter/status.h"

namespace warpmeter {

struct ReportOptions {
  std::vector<std::string> inputs;
  std::string output;  // "-" is standard output
  std::string title;
  std::size_t rows = 10;  // of each list
};

// The page appears under its name when it is complete. Damaged input is told on standard error and on the page. Throws
// Error if the page cannot be made.
ExitStatus report(const ReportOptions& options);

}  // namespace warpmeter
