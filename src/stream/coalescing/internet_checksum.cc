#include "stream/coalescing/internet_checksum.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <array>
#endif

namespace warpmeter::inline stream {

#if defined(__x86_64__)

// There is an instruction that adds neighbouring words, as signed numbers. With the upper bit turned around a word is
// one, 32,768 less than it was. As many rows as there may be do not overflow.
[[gnu::target("avx2")]] std::uint64_t sum_of_rows(const std::uint8_t* bytes, std::size_t rows) {
  constexpr std::uint64_t kLess = 32'768 * (kSumRow / 2);
  constexpr std::size_t kVector = sizeof(__m256i);
  const __m256i upper = _mm256_set1_epi16(-32'768), ones = _mm256_set1_epi16(1);
  const auto pairs = [&](const std::uint8_t* at) __attribute__((target("avx2"))) {
    const __m256i words = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
    return _mm256_madd_epi16(_mm256_xor_si256(words, upper), ones);
  };
  __m256i even = _mm256_setzero_si256(), odd = even;  // neither waits for the other
  for (std::size_t i = 0; i < rows; ++i, bytes += kSumRow) {
    even = _mm256_add_epi32(even, pairs(bytes));
    odd = _mm256_add_epi32(odd, pairs(bytes + kVector));
  }
  std::array<std::int32_t, kVector / sizeof(std::int32_t)> sums;
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums.data()), _mm256_add_epi32(even, odd));
  std::int64_t all = 0;
  for (const std::int32_t sum : sums) all += sum;
  return static_cast<std::uint64_t>(all) + rows * kLess;
}

#else

std::uint64_t sum_of_rows(const std::uint8_t*, std::size_t) { return 0; }  // nobody calls it

#endif

}  // namespace warpmeter::inline stream
