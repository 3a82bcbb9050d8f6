// TCP sequence numbers (RFC 9293 section 3.4): 32 bits on the wire, compared modulo 2^32; 64 bits in the flow state,
// unwrapped relative to the highest sequence end seen, so that a flow may wrap any number of times.
#pragma once

#include <cstdint>

#include "warpmeter/hd.h"

namespace warpmeter {

// The unwrapped number congruent to `sequence` that lies nearest to `highest`; a distance of exactly 2^31 is below.
WARPMETER_HD inline std::int64_t unwrap(std::uint32_t sequence, std::int64_t highest) {
  return highest + static_cast<std::int32_t>(sequence - static_cast<std::uint32_t>(highest));
}

}  // namespace warpmeter
