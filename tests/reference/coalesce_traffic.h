// TCP as coalescing meets it: directions whose packets come in order, out of order, again or never, with headers that
// change, damaged or cut short, with padding, and times that run back.
#pragma once

#include <cstdint>
#include <vector>

#include "reference_random.h"

namespace reference {

struct DraftedFrame {
  int64_t time = 0;
  uint32_t link = 0;
  std::vector<uint8_t> bytes;
  uint32_t original = 0;
};

// About so many frames; those of one seed are the same everywhere.
std::vector<DraftedFrame> coalesce_traffic(uint64_t seed, size_t frames);

}  // namespace reference
