// The 128-bit fingerprint that stands for the first bytes of a packet that is no TCP segment. Two different packets
// share one with a probability of about 2^-126 over all seeds, whoever prepared them; TCP segments are compared byte
// for byte.
#pragma once

#include <cstdint>

#include "warpmeter/hash_seed.h"
#include "warpmeter/segment.h"

namespace warpmeter {

// Of `size` <= 64 bytes and of `salt` < 2^56, which holds what else belongs to the identity.
Identity fingerprint(const std::uint8_t* bytes, std::uint32_t size, std::uint64_t salt, const HashSeed& seed);

}  // namespace warpmeter
