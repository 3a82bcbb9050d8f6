#include "command/memory/memory_cells.h"

namespace warpmeter::inline command {

std::optional<std::size_t> timeout_number(std::int64_t ns) {
  for (std::size_t i = 0; i < kTimeouts; ++i) {
    if (ns >= 0 && timeout_ns(i) == static_cast<std::uint64_t>(ns)) return i;
  }
  return std::nullopt;
}

std::optional<std::size_t> block_size_number(std::uint64_t bytes) {
  for (std::size_t i = 0; i < kBlockSizes; ++i) {
    if (block_bytes(i) == bytes) return i;
  }
  return std::nullopt;
}

}  // namespace warpmeter::inline command
