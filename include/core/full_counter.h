// When counters of a living flow are full, and are spilled beside its state.
#pragma once

#include <cstdint>

namespace warpmeter {

// At so many packets: as many as the counters of a state hold. Not an option, and asked for once a table, not a packet.
// Tests do not wait for four thousand million packets; they link a lower one in its place
// (tests/support/lower_full_counter.cc). Any thread.
std::uint32_t full_counter();

}  // namespace warpmeter
