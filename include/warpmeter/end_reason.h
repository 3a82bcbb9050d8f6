// Why a flow ended: IPFIX flowEndReason (IANA element 136).
#pragma once

#include <cstdint>

namespace warpmeter {

enum class EndReason : std::uint8_t { idle = 1, active = 2, end_of_flow = 3, forced = 4, lack_of_resources = 5 };

}  // namespace warpmeter
