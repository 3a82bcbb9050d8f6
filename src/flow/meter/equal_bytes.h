// Which of sixteen bytes are the same as one: a compare of a whole vector, and the one place with instructions of a
// CPU.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace warpmeter::inline flow {

// In plain C++: for other CPUs, and what the others must be like.
inline std::uint32_t equal_bytes_one_by_one(const std::uint8_t* sixteen, std::uint8_t wanted) {
  std::uint32_t found = 0;
  for (unsigned i = 0; i < 16; ++i) found |= std::uint32_t{sixteen[i] == wanted} << i;
  return found;
}

// Bit i stands for byte i. REQUIRES: `sixteen` is a multiple of 16.
inline std::uint32_t equal_bytes(const std::uint8_t* sixteen, std::uint8_t wanted) {
#if defined(__SSE2__)
  const __m128i bytes = _mm_load_si128(reinterpret_cast<const __m128i*>(sixteen));
  return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(static_cast<char>(wanted)))));
#elif defined(__ARM_NEON)
  // There is no movemask: each byte that is equal leaves its own bit of eight, and these are summed up.
  static constexpr std::uint8_t kBits[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  const uint8x16_t equal = vceqq_u8(vld1q_u8(sixteen), vdupq_n_u8(wanted));
  const uint8x16_t bits = vandq_u8(equal, vld1q_u8(kBits));
  return std::uint32_t{vaddv_u8(vget_low_u8(bits))} | std::uint32_t{vaddv_u8(vget_high_u8(bits))} << 8;
#else
  return equal_bytes_one_by_one(sixteen, wanted);
#endif
}

}  // namespace warpmeter::inline flow
