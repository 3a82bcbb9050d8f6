#include "decode/fingerprint.h"

#include <cstring>

namespace warpmeter {

// Two sums of products (hash_seed.h), the second with the same secrets two places on.
Fingerprint fingerprint(const std::uint8_t* bytes, std::uint32_t size, std::uint64_t salt, const HashSeed& seed) {
  std::uint64_t words[10] = {salt ^ std::uint64_t{size} << 56};
  std::memcpy(words + 2, bytes, size);
  const std::uint64_t* const w = seed.word;
  Wide a = 0, b = 0;
  const std::uint32_t used = 2 + (size + 7) / 8;
  for (std::uint32_t i = 0; i < used; i += 2) {
    a += wide_product(words[i] + w[i], words[i + 1] + w[i + 1]);
    b += wide_product(words[i] + w[i + 2], words[i + 1] + w[i + 3]);
  }
  return {fold_multiply(low_half(a) ^ w[12], high_half(a) ^ w[13]),
          fold_multiply(low_half(b) ^ w[14], high_half(b) ^ w[15])};
}

}  // namespace warpmeter
