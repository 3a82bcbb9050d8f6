// The headers that capture files put before a frame, a function each: a step of descend() (layers.h).
#pragma once

#include "packet/decode/layers.h"

namespace warpmeter::inline packet {

// The layer behind the header of link type walk.type.
Layer link_header(Walk& walk);

}  // namespace warpmeter::inline packet
