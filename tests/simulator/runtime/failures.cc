#include "simulator/runtime/failures.h"

#include <cstdlib>
#include <string>

#include "simulator/settings.h"

namespace cuda_machine {

bool must_fail(std::string_view call) {
  static std::string last;  // what the count is of
  static long left = 0;
  const std::string& wanted = settings().fail;
  const std::size_t colon = wanted.find(':');
  if (colon == std::string::npos || std::string_view(wanted).substr(0, colon) != call) return false;
  if (last != wanted) {
    last = wanted;
    left = std::atol(wanted.c_str() + colon + 1);
  }
  return left > 0 && --left == 0;
}

}  // namespace cuda_machine
