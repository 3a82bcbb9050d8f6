// `warpmeter report`, from files of Flow Records to one page to look at.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "warpmeter/status.h"

namespace warpmeter {

struct ReportOptions {
  std::vector<std::string> inputs;  // files, folders or names of rotated sets; "-" is standard input
  bool recursive = false;           // folders with those below them
  std::string output;               // "-" is standard output
  std::string title;
  std::size_t rows = 10;   // of each list
  std::string stats_file;  // of the run that metered the captures; empty = none
};

// The page appears under its name when it is complete. Damaged and unreadable input is told on standard error and on
// the page. Throws Error if the page cannot be made. When `interrupted` turns true, the page tells what was read until
// then.
ExitStatus report(const ReportOptions& options, const std::atomic<bool>& interrupted);

}  // namespace warpmeter
