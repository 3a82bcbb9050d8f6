// The hash of containers whose keys come from captures, flow files or the network: no file can be prepared whose keys
// meet in one bucket. What an iteration over such a container gives is in another order in every process; sort it.
//
// Threads: any.
#pragma once

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>

#include "core/hash_seed.h"

namespace warpmeter {

// Every process draws its own secrets for its hashes, so that nobody can prepare traffic or files that fill one bucket.

// New random words at every call. std::system_error: the system has no randomness to give.
inline HashSeed random_hash_seed() {
  HashSeed seed;
  if (getentropy(seed.word, sizeof seed.word) != 0)
    throw std::system_error(errno, std::generic_category(), "getentropy");
  return seed;
}

// The seed of this process, the same at every call.
inline const HashSeed& process_seed() {
  static const HashSeed seed = random_hash_seed();
  return seed;
}

// Word by word, each with a secret that those before it have changed.
inline std::uint64_t hash_bytes(const void* bytes, std::size_t size, const HashSeed& seed) {
  const char* at = static_cast<const char*>(bytes);
  std::uint64_t hash = seed.word[0];
  for (std::size_t left = size; left > 0;) {
    const std::size_t taken = left < 8 ? left : 8;
    std::uint64_t word = 0;
    std::memcpy(&word, at, taken);
    hash = fold_multiply(hash ^ word, seed.word[1]);
    at += taken;
    left -= taken;
  }
  return fold_multiply(hash ^ seed.word[2], seed.word[3] + size);
}

class SeededHash {
 public:
  SeededHash() = default;
  explicit SeededHash(const HashSeed& seed) : seed_(&seed) {}  // which must outlive it

  std::size_t operator()(std::uint64_t number) const { return hash_bytes(&number, sizeof number, *seed_); }
  std::size_t operator()(const std::string& text) const { return hash_bytes(text.data(), text.size(), *seed_); }
  template <std::size_t kSize>
  std::size_t operator()(const std::array<std::uint8_t, kSize>& bytes) const {
    return hash_bytes(bytes.data(), kSize, *seed_);
  }

 private:
  const HashSeed* seed_ = &process_seed();
};

}  // namespace warpmeter
