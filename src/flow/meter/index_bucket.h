// Sixteen entries of a flow table's index, which are looked at together: one cache line, and no loop whose end nobody
// can predict. The idea is that of "Swiss tables", with the tags beside the numbers.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "flow/meter/equal_bytes.h"

namespace warpmeter::inline flow {

// Entries {tag, number}, from the first one on; the tag of one that is not used is 0.
class alignas(64) IndexBucket {
 public:
  static constexpr unsigned kEntries = 16;
  static constexpr std::uint32_t kMostNumbers = 1 << 24;

  // Never 0.
  static std::uint8_t tag_of(std::uint64_t hash) {
    const auto tag = static_cast<std::uint8_t>(hash >> 56);
    return tag ? tag : 1;
  }

  // The entries with this tag: bit i stands for entry i.
  std::uint32_t with_tag(std::uint8_t tag) const { return equal_bytes(bytes_, tag); }

  bool is_full() const { return bytes_[kEntries - 1] != 0; }
  std::uint32_t number(unsigned i) const {
    std::uint32_t number;  // and before it, the lowest byte, what is not its own
    std::memcpy(&number, bytes_ + kEntries - 1 + kNumberBytes * i, sizeof number);
    return number >> 8;
  }

  bool is_used(unsigned i) const { return bytes_[i] != 0; }
  std::uint8_t tag(unsigned i) const { return bytes_[i]; }

  // The last entry takes its place.
  void remove(unsigned i) {
    unsigned last = kEntries - 1;
    while (!bytes_[last]) --last;
    bytes_[i] = bytes_[last];
    bytes_[last] = 0;
    std::memmove(bytes_ + kEntries + kNumberBytes * i, bytes_ + kEntries + kNumberBytes * last, kNumberBytes);
  }

  // REQUIRES: not full.
  void enter(std::uint8_t tag, std::uint32_t number) {
    unsigned i = 0;
    while (bytes_[i]) ++i;
    bytes_[i] = tag;
    std::memcpy(bytes_ + kEntries + kNumberBytes * i, &number, kNumberBytes);
  }

 private:
  static constexpr unsigned kNumberBytes = 3;
  static_assert(std::endian::native == std::endian::little);

  std::uint8_t bytes_[64] = {};  // the tags, then the numbers
};
static_assert(sizeof(IndexBucket) == 64 && IndexBucket::kEntries * 4 == 64);

}  // namespace warpmeter::inline flow
