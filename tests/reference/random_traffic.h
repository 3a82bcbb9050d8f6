// Small nasty captures for property tests: few keys, so that flows collide, and every rule's borders hit on purpose.
#pragma once

#include <cstdint>
#include <vector>

#include "traffic_shape.h"

namespace reference {

// A pcap file. The same shape gives the same bytes on every machine.
std::vector<uint8_t> random_traffic(const TrafficShape& shape);

}  // namespace reference
