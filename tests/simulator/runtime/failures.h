// Calls that fail because the settings say so.
#pragma once

#include <string_view>

namespace cuda_machine {

// Whether this call is the one that is to fail: the Nth of its kind, of setting fail=CALL:N.
bool must_fail(std::string_view call);

}  // namespace cuda_machine
