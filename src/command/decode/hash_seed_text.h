// --hash-seed: words that hashes of decoding keep secret, from any text, so that several runs have the same.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/hash_seed.h"

namespace warpmeter::inline command {

// Each word depends on all of the text. No better a secret than the text.
HashSeed hash_seed_of(std::string_view text);

// Seeds that differ have different marks (but one pair in 2^64), and a mark tells nothing that helps to foresee hashes.
std::uint64_t mark_of(const HashSeed& seed);

}  // namespace warpmeter::inline command
