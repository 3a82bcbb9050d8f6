// Keyed fingerprints of what is compared of a packet and has no room in a Segment. Whoever knows the secret words alone
// can prepare different bytes that share one.
//
// Of a packet that is no TCP segment, 128 bits stand for its first bytes: two that differ share them with a probability
// of about 2^-126 over all seeds. Of a TCP segment without an IP id, 56 bits stand for the options: about 2^-56.
#pragma once

#include <cstdint>

#include "core/byte_order.h"
#include "core/hash_seed.h"

namespace warpmeter::inline packet {

inline constexpr std::uint32_t kMostFingerprinted = 128;

struct Fingerprint {
  std::uint64_t a, b;
};

// Of `size` <= kMostFingerprinted bytes and of `salt` < 2^56, which holds what else belongs to the identity.
Fingerprint fingerprint(const std::uint8_t* bytes, std::uint32_t size, std::uint64_t salt, const HashSeed& seed);

// Of TCP options of `whole` bytes, of which the first `size` were captured: 64 bits, all of them good. Options of
// another `whole`, which the data offset tells apart, may share it.
std::uint64_t fingerprint_options(const std::uint8_t* options, std::uint32_t size, std::uint32_t whole,
                                  const HashSeed& seed);

// The same of 12 bytes, as nearly all options have (time stamps, RFC 7323), all of them captured.
inline constexpr std::uint32_t kTimeStampOptions = 12;
inline std::uint64_t fingerprint_time_stamps(const std::uint8_t* options, const HashSeed& seed) {
  return fold_multiply(load<std::uint64_t>(options) + seed.word[0], load<std::uint32_t>(options + 8) + seed.word[1]);
}

}  // namespace warpmeter::inline packet
