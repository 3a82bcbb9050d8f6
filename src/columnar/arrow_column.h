// The values of one column, as Arrow lays them out.
#pragma once

#include <cstdint>
#include <vector>

namespace warpmeter {

struct ArrowColumn {
  std::vector<std::uint8_t> values;    // numbers in the machine's byte order; of texts their letters
  std::vector<std::int32_t> offsets;   // of texts, where each begins, and the end; otherwise empty
  std::vector<std::uint8_t> validity;  // a bit a row, the lowest first; empty: none is null
  std::int64_t nulls = 0;
};

}  // namespace warpmeter
