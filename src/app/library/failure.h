// What a run of the library failed with, as the program that uses it gets it: as the command says it, in one line that
// can be shown. Any thread.
#pragma once

#include <exception>
#include <string>

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

}  // namespace warpmeter
