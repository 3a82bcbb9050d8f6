// `warpmeter show`, from files of Flow Records to what was asked of them: the straight line.
#pragma once

#include <atomic>

#include "show/show_options.h"
#include "warpmeter/status.h"

namespace warpmeter {

// Reads until the end or until `interrupted` turns true; either way the output is complete and valid. Damage and a line
// about what was shown go to standard error. Throws Error if it cannot be done or finished.
ExitStatus show(const ShowOptions& options, const std::atomic<bool>& interrupted);

}  // namespace warpmeter
