#include "packet/decode/fingerprint.h"

#include <cstring>

namespace warpmeter::inline packet {
namespace {

constexpr std::uint32_t kPair = 16;

// The secrets that make 64 bits of sums, which share none with the sums.
constexpr int kFolds = 20;
static_assert(2 + kMostFingerprinted / 8 + 2 <= kFolds && kFolds + 4 <= HashSeed::kWords);

// Calls `add(first, second)` with the bytes as pairs of words, zeros at the end.
template <class Add>
void each_pair(const std::uint8_t* bytes, std::uint32_t size, const Add& add) {
  for (; size >= kPair; bytes += kPair, size -= kPair) {
    add(load<std::uint64_t>(bytes), load<std::uint64_t>(bytes + 8));
  }
  if (size == 0) return;
  std::uint64_t last[2] = {};
  std::memcpy(last, bytes, size);
  add(last[0], last[1]);
}

}  // namespace

// Two sums of products (hash_seed.h), the second with the same secrets two places on.
Fingerprint fingerprint(const std::uint8_t* bytes, std::uint32_t size, std::uint64_t salt, const HashSeed& seed) {
  const std::uint64_t* w = seed.word;
  Wide a = 0, b = 0;
  const auto add = [&](std::uint64_t first, std::uint64_t second) {
    a += wide_product(first + w[0], second + w[1]);
    b += wide_product(first + w[2], second + w[3]);
    w += 2;
  };
  add(salt ^ std::uint64_t{size} << 56, 0);
  each_pair(bytes, size, add);
  const std::uint64_t* const fold = seed.word + kFolds;
  return {fold_multiply(low_half(a) ^ fold[0], high_half(a) ^ fold[1]),
          fold_multiply(low_half(b) ^ fold[2], high_half(b) ^ fold[3])};
}

// A sum, in which how many bytes are missing has a secret of its own.
std::uint64_t fingerprint_options(const std::uint8_t* options, std::uint32_t size, std::uint32_t whole,
                                  const HashSeed& seed) {
  const std::uint64_t* w = seed.word;
  Wide sum = wide_product(whole - size, seed.word[8]);
  each_pair(options, size, [&](std::uint64_t first, std::uint64_t second) {
    sum += wide_product(first + w[0], second + w[1]);
    w += 2;
  });
  const std::uint64_t* const fold = seed.word + kFolds;
  return fold_multiply(low_half(sum) ^ fold[0], high_half(sum) ^ fold[1]);
}

}  // namespace warpmeter::inline packet
