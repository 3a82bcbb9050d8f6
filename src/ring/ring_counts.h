// What became of the packets that were offered to a ring: each was received or lost, and nothing is left over.
#pragma once

#include <cstdint>
#include <string>

namespace warpmeter {

struct RingCounts {
  std::string interface;
  unsigned ring = 0;            // of the interface, from 0 on
  std::uint64_t received = 0;   // packets that were handed on
  std::uint64_t ring_full = 0;  // lost, because the ring had no free block
  std::uint64_t times_full = 0;

  std::uint64_t offered() const { return received + ring_full; }
};

struct InterfaceCounts {
  std::string interface;
  std::uint64_t lost = 0;  // before they came to any ring: network_interface.h
};

}  // namespace warpmeter
