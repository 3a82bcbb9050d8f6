// The 128-bit fingerprint that stands for the first bytes of a packet that is no TCP segment. Two different packets of
// one flow within the duplicate window share one with probability 2^-128; TCP segments are compared byte for byte.
#pragma once

#include <cstdint>

#include "warpmeter/segment.h"

namespace warpmeter {

// Of `size` <= 64 bytes and of `salt`, which holds what else belongs to the identity.
Identity fingerprint(const std::uint8_t* bytes, std::uint32_t size, std::uint64_t salt);

}  // namespace warpmeter
