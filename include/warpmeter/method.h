// How retransmissions are found.
#pragma once

#include <cstdint>

namespace warpmeter {

enum class Method : std::uint8_t {
  exact,       // by the sequence numbers that the flow has carried
  five_tuple,  // the source paper's rule: addresses, ports and sequence number seen before, nearby in the trace
};

}  // namespace warpmeter
