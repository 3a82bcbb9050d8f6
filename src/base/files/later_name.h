// A file that is complete before it has its name: where it lies until then, and what it will be called.
#pragma once

#include <string>

namespace warpmeter::inline base {

// NAME.20260131T120000Z.csv; where that is taken, NAME.20260131T120000Z-2.csv, and so on.
struct LaterName {
  std::string hidden;          // beside its place
  std::string before, behind;  // the number
};

}  // namespace warpmeter::inline base
