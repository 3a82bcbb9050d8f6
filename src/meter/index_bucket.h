// Sixteen entries of a flow table's index, which are looked at together: one cache line, and no loop whose end nobody
// can predict. The idea is that of "Swiss tables", with the tags beside the numbers.
#pragma once

#include <bit>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace warpmeter {

// Entries {tag, number + 1}, from the first one on; what is not used is 0.
class alignas(64) IndexBucket {
 public:
  static constexpr unsigned kEntries = 16;
  static constexpr std::uint32_t kMostNumbers = (1 << 24) - 1;

  // A tag is never 0: no unused entry has it.
  static std::uint32_t tag_of(std::uint64_t hash) {
    const auto tag = static_cast<std::uint32_t>(hash >> 56);
    return (tag ? tag : 1) << kNumberBits;
  }

  // The entries with this tag: bit i stands for entry i.
  std::uint32_t with_tag(std::uint32_t tag) const {
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi32(static_cast<int>(tag)), bits = _mm_set1_epi32(static_cast<int>(~kNumber));
    const auto four = [&](int i) {
      const __m128i entries = _mm_load_si128(reinterpret_cast<const __m128i*>(entries_) + i);
      return _mm_cmpeq_epi32(_mm_and_si128(entries, bits), wanted);
    };
    const __m128i low = _mm_packs_epi32(four(0), four(1)), high = _mm_packs_epi32(four(2), four(3));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(_mm_packs_epi16(low, high)));
#else
    std::uint32_t found = 0;
    for (unsigned i = 0; i < kEntries; ++i) found |= std::uint32_t{(entries_[i] & ~kNumber) == tag} << i;
    return found;
#endif
  }

  bool is_full() const { return entries_[kEntries - 1] != 0; }
  std::uint32_t number(unsigned i) const { return (entries_[i] & kNumber) - 1; }

  // REQUIRES: not full.
  void enter(std::uint32_t tag, std::uint32_t number) {
    unsigned i = 0;
    while (entries_[i]) ++i;
    entries_[i] = tag | (number + 1);
  }

 private:
  static constexpr unsigned kNumberBits = 24;
  static constexpr std::uint32_t kNumber = kMostNumbers;

  std::uint32_t entries_[kEntries] = {};
};
static_assert(sizeof(IndexBucket) == 64);

}  // namespace warpmeter
