#include "decode/fingerprint.h"

#include <cstring>

#include "warpmeter/flow_hash.h"

namespace warpmeter {

Identity fingerprint(const std::uint8_t* bytes, std::uint32_t size, std::uint64_t salt) {
  std::uint64_t words[8] = {};
  std::memcpy(words, bytes, size);
  const std::uint64_t start = salt ^ std::uint64_t{size} << 56;
  Identity id{start ^ 0x2d358dccaa6c78a5u, start ^ 0x8bb84b93962eacc9u};
  const std::uint32_t used = (size + 7) / 8;
  for (std::uint32_t i = 0; i < used; ++i) {
    id.a = fold_multiply(id.a ^ words[i], 0x4b33a62ed433d4a3u) + words[i];
    id.b = fold_multiply(id.b + words[i], 0x4d5a2da51de1aa47u) ^ (words[i] << 1 | words[i] >> 63);
  }
  id.a = fold_multiply(id.a, 0xa0761d6478bd642fu) ^ id.b;
  id.b = fold_multiply(id.b, 0xe7037ed1a0b428dbu) + id.a;
  return id;
}

}  // namespace warpmeter
