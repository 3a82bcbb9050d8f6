// Memory that a feeder shares with this process, so that nothing the feeder does later can make it go away: it cannot
// be made smaller (F_SEAL_SHRINK), and its pages are those of a memfd.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace warpmeter::inline packet {

struct FeederMemory {
  std::shared_ptr<std::uint8_t> at;  // mapped for as long as anybody holds it
  std::size_t bytes = 0;
};

// `fd` stays the caller's. Throws Error, without the name of the feeder, where that is no sealed memfd of a fitting
// size.
FeederMemory map_feeder_memory(int fd);

}  // namespace warpmeter::inline packet
