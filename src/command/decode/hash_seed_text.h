// --hash-seed: words that hashes of decoding keep secret, from any text, so that several runs have the same.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/hash_seed.h"
#include "packet/segments/segment_format.h"

namespace warpmeter::inline command {

// Each word depends on all of the text. No better a secret than the text.
inline HashSeed hash_seed_of(std::string_view text) {
  HashSeed seed;
  for (int i = 0; i < HashSeed::kWords; ++i) {
    seed.word[i] = segment_checksum(text.data(), text.size(), static_cast<std::uint64_t>(i) + 1);
  }
  return seed;
}

// Seeds that differ have different marks (but one pair in 2^64), and a mark tells nothing that helps to foresee hashes.
inline std::uint64_t mark_of(const HashSeed& seed) { return segment_checksum(seed.word, sizeof seed.word); }

}  // namespace warpmeter::inline command
