#include "command/decode/hash_seed_text.h"

#include "packet/segments/segment_format.h"

namespace warpmeter::inline command {

HashSeed hash_seed_of(std::string_view text) {
  HashSeed seed;
  for (int i = 0; i < HashSeed::kWords; ++i) {
    seed.word[i] = segment_checksum(text.data(), text.size(), static_cast<std::uint64_t>(i) + 1);
  }
  return seed;
}

std::uint64_t mark_of(const HashSeed& seed) { return segment_checksum(seed.word, sizeof seed.word); }

}  // namespace warpmeter::inline command
