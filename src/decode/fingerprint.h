// The 128-bit fingerprint that stands for the first bytes of a packet that is no TCP segment. Two different packets
// share one with a probability of about 2^-126 over all seeds, whoever prepared them; TCP segments are compared byte
// for byte.
#pragma once

#include <cstdint>

#include "core/hash_seed.h"

namespace warpmeter {

struct Fingerprint {
  std::uint64_t a, b;
};

// Of `size` <= 64 bytes and of `salt` < 2^56, which holds what else belongs to the identity.
Fingerprint fingerprint(const std::uint8_t* bytes, std::uint32_t size, std::uint64_t salt, const HashSeed& seed);

}  // namespace warpmeter
