// A change of the sample of flows of a live capture (--sample-flows auto).
#pragma once

#include <cstdint>

namespace warpmeter::inline pipeline {

struct SampleChange {
  std::int64_t time_ns;  // since 1970 UTC: packets from then on
  std::uint32_t one_in;  // flows
};

}  // namespace warpmeter::inline pipeline
