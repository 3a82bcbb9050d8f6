// Every process draws its own secrets for its hashes, so that nobody can prepare traffic or files that fill one bucket.
#pragma once

#include <cstdint>
#include <random>

#include "core/hash_seed.h"

namespace warpmeter {

// Other words at every call. Throws what std::random_device throws where the system has no randomness to give.
inline HashSeed random_hash_seed() {
  std::random_device device;
  HashSeed seed;
  for (std::uint64_t& word : seed.word) word = static_cast<std::uint64_t>(device()) << 32 | device();
  return seed;
}

// The same words at every call in one process.
inline const HashSeed& process_seed() {
  static const HashSeed seed = random_hash_seed();
  return seed;
}

}  // namespace warpmeter
