// What is kept of a connection while it lives under any of the timeouts, and, so that its bytes count once, thereafter.
//
// Timeouts begin together, with new bytes, and end one after the other, the shortest first: those that are alive are
// the longest. Those that began with the same bytes buffer the same; neighbouring ones that do are an age. Most
// connections have one age, and one with pauses has as many as its pauses were longer than the ones after them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "command/memory/memory_cells.h"
#include "command/memory/seen_bytes.h"
#include "warpmeter/flow_key.h"

namespace warpmeter::inline command {

// Bytes that wait, by block size: below the block size each.
struct HeldBytes {
  std::array<std::uint32_t, kBlockSizes> bytes{};
  std::uint32_t end = kTimeouts;  // one past the longest timeout of this age
};

struct ConnectionState {
  static constexpr std::uint64_t kNotDue = std::numeric_limits<std::uint64_t>::max();

  FlowKey ends;                                   // the smaller end is the source; no VLAN id
  std::uint64_t latest = 0;                       // time of its latest segment, if it is alive
  std::uint64_t due = kNotDue;                    // when it is to be looked at
  std::array<SeenBytes, 2> seen;                  // of what the smaller end sent, the other
  std::uint32_t alive_from = kTimeouts;           // the first timeout that is alive
  HeldBytes youngest;                             // of the shortest timeouts
  std::unique_ptr<std::vector<HeldBytes>> older;  // the last has the shortest timeouts
  bool in_use = false;

  bool is_dead() const { return alive_from == kTimeouts; }
};

}  // namespace warpmeter::inline command
