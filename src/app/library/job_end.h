// How jobs of the library end: what failed, as the program that uses it gets it, and what those that read Flow Records
// tell, as JSON and in lines for the user. Any thread.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "command/report/report.h"
#include "command/show/show.h"

namespace warpmeter {

// Of the exception that is being handled: an Error of the same class whose names are printable (printable.h); others,
// as of feeds, as they are. Called by handlers.
std::exception_ptr printable_failure();

// What it gives; what it throws is printable.
template <class Run>
auto with_printable_failure(const Run& run) {
  try {
    return run();
  } catch (...) {
    std::rethrow_exception(printable_failure());
  }
}

// What `--stats` writes of such a run.
std::string json_of(const std::exception_ptr& failure);

std::string summary_json(const ShowSummary& shown);
std::string summary_json(const ReportSummary& written);

// What the command warns of, and of what stands in its last line only, what changes the numbers. `place`: as of
// warnings_of().
std::vector<std::string> lines_of(const FilesRead& read, std::string_view place);

}  // namespace warpmeter
